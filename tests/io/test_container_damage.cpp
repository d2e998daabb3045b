// Files that are wrong: flipped, cut, mutated, and carefully made by somebody who means harm.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <string_view>

#include "formats/io/container.hpp"
#include "formats/io/container_layout.hpp"
#include "tests/io/container_samples.hpp"

namespace spress::io {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Json = nlohmann::ordered_json;

/// A small matrix in opt-csr form, with an ordering, in blocks of 16 bytes.
Bytes small_file() {
  const samples::OneThread one_thread;
  const samples::Scenario scenario = {"small", 6, 6, {{0, 1}, {0, 2}, {1, 0}, {3, 3}, {4, 0}, {4, 5}, {5, 5}}};
  const auto csr = samples::csr_of(scenario);
  const auto f = encode<OptCsr>(view_of(csr), {});
  ContainerInfo info;
  info.matrix.name = "small";
  info.ordering = "rcm";
  info.row_perm = {1, 0, 2, 4, 3, 5};
  info.col_perm = info.row_perm;
  WriteOptions options;
  options.block_bytes = 16;
  return std::move(write_container_bytes<OptCsr>(view_of(*f), info, options)).value();
}

/// A container taken apart, to be changed and put together again with checksums that hold.
struct Parts {
  Bytes blocks;
  Json descriptor;

  static Parts of(const Bytes& file) {
    const auto header = layout::decode_header(std::span(file).first(layout::header_bytes), file.size());
    const auto split = file.begin() + static_cast<std::ptrdiff_t>(header->descriptor_offset);
    return {Bytes(file.begin() + layout::header_bytes, split), Json::parse(split, file.end())};
  }
  [[nodiscard]] Bytes file() const { return with_text(descriptor.dump()); }
  [[nodiscard]] Bytes with_text(const std::string& text) const {
    layout::Header header;
    header.descriptor_offset = layout::header_bytes + blocks.size();
    header.descriptor_bytes = text.size();
    header.descriptor_checksum = layout::checksum64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    const auto begin = layout::encode_header(header);
    Bytes bytes(begin.size() + blocks.size() + text.size());
    const auto behind_blocks =
        std::copy(blocks.begin(), blocks.end(), std::copy(begin.begin(), begin.end(), bytes.begin()));
    std::copy(text.begin(), text.end(), behind_blocks);
    return bytes;
  }
};

Error error_of(const Bytes& file) {
  const auto read = read_container_bytes(file);
  return read.ok() ? Error{ErrorCode::usage, "was read without complaint", {}, 0} : read.error();
}

void expect_error(const Bytes& file, ErrorCode code, std::string_view part) {
  const Error error = error_of(file);
  EXPECT_EQ(to_string(error.code), to_string(code)) << error.message;
  EXPECT_NE(error.message.find(part), std::string::npos) << error.message << "\nlacks: " << part;
}

TEST(ContainerDamage, PartsPutTogetherAgainAreTheFile) {
  const Bytes file = small_file();
  EXPECT_EQ(Parts::of(file).file(), file);
  EXPECT_EQ(error_of(file).message, "was read without complaint");
}

TEST(ContainerDamage, EveryFlippedBitIsFound) {
  const Bytes file = small_file();
  for (std::size_t bit = 0; bit < file.size() * 8; ++bit) {
    Bytes flipped = file;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    const Error error = error_of(flipped);
    ASSERT_EQ(to_string(error.code), to_string(ErrorCode::damaged)) << "bit " << bit << ": " << error.message;
  }
}

TEST(ContainerDamage, FlippedBlocksAreNamed) {
  const Bytes file = small_file();
  const auto head = read_container_head_bytes(file);
  ASSERT_TRUE(head.ok());
  for (const auto& array : head->arrays)
    for (std::size_t b = 0; b < array.blocks.size(); ++b) {
      Bytes flipped = file;
      flipped[array.blocks[b].offset + array.blocks[b].stored_bytes - 1] ^= 0x10;
      expect_error(flipped, ErrorCode::damaged, "array '" + array.name + "', block " + std::to_string(b) + " at byte");
    }
}

TEST(ContainerDamage, EveryCutIsFound) {
  const Bytes file = small_file();
  for (std::size_t length = 0; length < file.size(); ++length) {
    const Error error = error_of(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length)));
    ASSERT_EQ(to_string(error.code), to_string(ErrorCode::truncated)) << "length " << length << ": " << error.message;
  }
}

TEST(ContainerDamage, BytesBehindTheEndAreFound) {
  Bytes file = small_file();
  file.push_back(0);
  expect_error(file, ErrorCode::damaged, "1 bytes behind its end");
}

TEST(ContainerDamage, OtherVersionsAndFlagsAreUnsupported) {
  for (const std::size_t at : {8u, 12u}) {
    Bytes file = small_file();
    file[at] = 2;
    const std::uint64_t sum = layout::checksum64(std::span(file).first(40));
    std::memcpy(file.data() + 40, &sum, sizeof sum);
    expect_error(file, ErrorCode::unsupported, " 2; this program");
  }
}

struct Change {
  const char* name;
  std::function<void(Parts&)> make;
  ErrorCode code;
  const char* part;
};

/// The array of that name in a descriptor.
Json& array_of(Parts& parts, std::string_view name) {
  for (Json& array : parts.descriptor["arrays"])
    if (array["name"] == name) return array;
  throw std::runtime_error("no such array");
}

const std::vector<Change> changes = {
    {"format", [](Parts& p) { p.descriptor["format"] = "xyz"; }, ErrorCode::unsupported,
     "format 'xyz' is unknown here; known are csr, coo"},
    {"missing", [](Parts& p) { p.descriptor.erase("ordering"); }, ErrorCode::damaged, "lacks 'ordering'"},
    {"not an object",
     [](Parts& p) {
       p.descriptor = Json::array({1, 2});
     },
     ErrorCode::damaged, "is no object"},
    {"no arrays", [](Parts& p) { p.descriptor["arrays"] = 7; }, ErrorCode::damaged, "arrays must be a list"},
    {"arrays left out", [](Parts& p) { p.descriptor["arrays"] = Json::array(); }, ErrorCode::damaged,
     "belong to no array"},
    {"role", [](Parts& p) { array_of(p, "row_ptr")["role"] = "value"; }, ErrorCode::damaged,
     "array 'row_ptr' has role value, expected pointer"},
    {"unknown role", [](Parts& p) { array_of(p, "row_ptr")["role"] = "x"; }, ErrorCode::damaged, "role: 'x'"},
    {"type", [](Parts& p) { array_of(p, "row_ptr")["type"] = "u128"; }, ErrorCode::damaged, "type: 'u128'"},
    {"other type", [](Parts& p) { array_of(p, "row_ptr")["type"] = "i32"; }, ErrorCode::damaged, "row_ptr holds i32"},
    {"fixed type", [](Parts& p) { array_of(p, "ordering_row_perm")["type"] = "i32"; }, ErrorCode::damaged,
     "'ordering_row_perm' cannot hold elements of type i32"},
    {"count", [](Parts& p) { array_of(p, "row_ptr")["count"] = 8; }, ErrorCode::damaged,
     "array 'row_ptr': its blocks hold 7 elements, its count says 8"},
    {"huge count", [](Parts& p) { array_of(p, "values")["count"] = std::uint64_t{1} << 60; }, ErrorCode::damaged,
     "array 'values'"},
    {"negative", [](Parts& p) { array_of(p, "row_ptr")["count"] = -7; }, ErrorCode::damaged, "not negative"},
    {"fraction", [](Parts& p) { array_of(p, "row_ptr")["count"] = 7.0; }, ErrorCode::damaged, "count must be"},
    {"too large for 64 bits", [](Parts& p) { array_of(p, "row_ptr")["count"] = 1e30; }, ErrorCode::damaged,
     "count must be"},
    {"extra",
     [](Parts& p) {
       p.descriptor["arrays"].push_back(
           {{"name", "more"}, {"role", "index"}, {"type", "u8"}, {"count", 0}, {"blocks", Json::array()}});
     },
     ErrorCode::damaged, "array 'more' does not belong to format 'opt-csr'"},
    {"twice", [](Parts& p) { p.descriptor["arrays"].push_back(array_of(p, "col16")); }, ErrorCode::damaged,
     "array 'col16' appears twice"},
    {"absent", [](Parts& p) { array_of(p, "row_perm")["name"] = "row_permutation"; }, ErrorCode::damaged,
     "array 'row_perm' is missing"},
    {"scalar", [](Parts& p) { p.descriptor["scalars"].erase("cols"); }, ErrorCode::damaged, "lacks scalar 'cols'"},
    {"scalar text", [](Parts& p) { p.descriptor["scalars"]["cols"] = "x"; }, ErrorCode::damaged,
     "'cols' cannot be 'x'"},
    {"scalar name", [](Parts& p) { p.descriptor["scalars"]["index"] = "x"; }, ErrorCode::damaged,
     "'index' cannot be 'x'"},
    {"scalar kind", [](Parts& p) { p.descriptor["scalars"]["cols"] = true; }, ErrorCode::damaged, "cols must be"},
    {"too few columns", [](Parts& p) { p.descriptor["scalars"]["cols"] = 5; }, ErrorCode::damaged, "leave the matrix"},
    {"many rows", [](Parts& p) { p.descriptor["scalars"]["rows"] = 2147483647; }, ErrorCode::damaged, "section_start"},
    {"more rows", [](Parts& p) { p.descriptor["scalars"]["rows"] = ~std::uint64_t{0}; }, ErrorCode::too_large,
     "32-bit"},
    {"nnz", [](Parts& p) { p.descriptor["scalars"]["nnz"] = ~std::uint64_t{0}; }, ErrorCode::damaged, "value"},
    {"field", [](Parts& p) { p.descriptor["matrix"]["field"] = "quaternion"; }, ErrorCode::damaged, "quaternion"},
    {"blocks", [](Parts& p) { array_of(p, "row_ptr")["blocks"] = "none"; }, ErrorCode::damaged,
     "blocks must be a list"},
    {"block", [](Parts& p) { array_of(p, "row_ptr")["blocks"][1] = 3; }, ErrorCode::damaged,
     "array 'row_ptr', block 1 is no object"},
    {"raw 0", [](Parts& p) { array_of(p, "row_ptr")["blocks"][1]["raw"] = 0; }, ErrorCode::damaged, "block 1.raw"},
    {"raw odd", [](Parts& p) { array_of(p, "row_ptr")["blocks"][1]["raw"] = 13; }, ErrorCode::damaged, "multiple of 4"},
    {"raw huge", [](Parts& p) { array_of(p, "row_ptr")["blocks"][1]["raw"] = (64 << 20) + 4; }, ErrorCode::damaged,
     "up to 64 MiB"},
    {"stored 0", [](Parts& p) { array_of(p, "row_ptr")["blocks"][1]["stored"] = 0; }, ErrorCode::damaged, ".stored"},
    {"stored huge", [](Parts& p) { array_of(p, "row_ptr")["blocks"][1]["stored"] = ~std::uint64_t{0}; },
     ErrorCode::damaged, ".stored"},
    {"behind the blocks", [](Parts& p) { p.blocks.pop_back(); }, ErrorCode::damaged, "reaches into the descriptor"},
    {"gap", [](Parts& p) { p.blocks.push_back(0); }, ErrorCode::damaged, "1 bytes in front of the descriptor"},
    {"transform", [](Parts& p) { array_of(p, "row_ptr")["blocks"][0]["transform"] = "shuffle+zstd"; },
     ErrorCode::unsupported, "array 'row_ptr', block 0: unknown transform 'shuffle+zstd'"},
    {"no zstd", [](Parts& p) { array_of(p, "row_ptr")["blocks"][0]["transform"] = "zstd"; }, ErrorCode::damaged,
     "array 'row_ptr', block 0 at byte"},
    {"no bits", [](Parts& p) { array_of(p, "values")["blocks"][0]["transform"] = "bits"; }, ErrorCode::damaged,
     "array 'values', block 0 at byte"},
    {"checksum", [](Parts& p) { array_of(p, "row_ptr")["blocks"][0]["checksum"] = "0"; }, ErrorCode::damaged,
     "16 hexadecimal digits"},
    {"permutation of another size", [](Parts& p) { p.descriptor["ordering"]["col_perm"] = "row_perm"; },
     ErrorCode::damaged, "row_perm"},
    {"permutation that is none", [](Parts& p) { p.descriptor["ordering"]["row_perm"] = "nowhere"; }, ErrorCode::damaged,
     "'nowhere' is missing"},
};

TEST(ContainerDamage, WrongDescriptorsAreRefused) {
  const Bytes file = small_file();
  for (const Change& change : changes) {
    SCOPED_TRACE(change.name);
    Parts parts = Parts::of(file);
    change.make(parts);
    expect_error(parts.file(), change.code, change.part);
  }
}

TEST(ContainerDamage, KeysMoreThanKnownAreLeftAlone) {
  Parts parts = Parts::of(small_file());
  parts.descriptor["future"] = {{"a", 1}};
  EXPECT_TRUE(read_container_bytes(parts.file()).ok());
}

TEST(ContainerDamage, WrongJsonIsRefused) {
  const Parts parts = Parts::of(small_file());
  const std::string text = parts.descriptor.dump();
  expect_error(parts.with_text(""), ErrorCode::damaged, "not JSON");
  expect_error(parts.with_text(text.substr(1)), ErrorCode::damaged, "not JSON");
  expect_error(parts.with_text(text + "{}"), ErrorCode::damaged, "not JSON");
  expect_error(parts.with_text("\xFF" + text), ErrorCode::damaged, "not JSON");
  expect_error(parts.with_text("{\"format\":\"csr\"," + text.substr(1)), ErrorCode::damaged, "key 'format' twice");
  expect_error(parts.with_text(std::string(100000, '[')), ErrorCode::damaged, "nested too deeply");
}

/// A csr of one row that claims a column array of `blocks` blocks of 64 MiB each, every one backed by the same few
/// bytes.
Bytes claim_of(std::uint64_t blocks, const std::string& transform, const Bytes& stored) {
  const std::uint64_t raw = 64 << 20;
  char checksum[17];
  std::snprintf(checksum, sizeof checksum, "%016llx", static_cast<unsigned long long>(layout::checksum64(stored)));
  Parts parts = Parts::of(small_file());
  parts.blocks.clear();
  Json list = Json::array();
  for (std::uint64_t i = 0; i < blocks; ++i) {
    list.push_back({{"stored", stored.size()}, {"raw", raw}, {"transform", transform}, {"checksum", checksum}});
    parts.blocks.insert(parts.blocks.end(), stored.begin(), stored.end());
  }
  const auto array = [](const char* name, const char* role, const char* type, std::uint64_t count, Json records) {
    return Json{{"name", name}, {"role", role}, {"type", type}, {"count", count}, {"blocks", std::move(records)}};
  };
  parts.descriptor["format"] = "csr";
  parts.descriptor["ordering"] = {{"name", "none"}, {"row_perm", nullptr}, {"col_perm", nullptr}};
  parts.descriptor["arrays"] = Json::array({array("row_ptr", "pointer", "u32", 0, Json::array()),
                                            array("col_idx", "index", "u32", blocks * raw / 4, std::move(list)),
                                            array("values", "value", "f64", 0, Json::array()),
                                            array("value_table", "value", "f64", 0, Json::array())});
  return parts.file();
}

TEST(ContainerDamage, HugeClaimsTakeNoMemory) {
  // 5000 blocks of 64 MiB: 312 GiB claimed by a file of half a megabyte. Allocating it would be refused or fatal.
  const Bytes noise = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  for (const char* transform : {"none", "zstd", "delta+planes+zstd", "bits", "delta+bits+zstd"})
    expect_error(claim_of(5000, transform, noise), ErrorCode::damaged, "array 'col_idx', block 0 at byte 48");
  // A real zstd frame header that promises 64 MiB and holds one empty block.
  const Bytes frame = {0x28, 0xB5, 0x2F, 0xFD, 0xA0, 0x00, 0x00, 0x00, 0x04, 0x01, 0x00, 0x00};
  for (const char* transform : {"zstd", "delta+zstd", "planes+zstd"})
    expect_error(claim_of(5000, transform, frame), ErrorCode::damaged, "array 'col_idx', block 0 at byte 48");
}

TEST(ContainerDamage, MutationsAreReadOrRefused) {
  // Mutations of the parts, checksums mended, so that they reach what lies behind the checksums.
  const Bytes file = small_file();
  const Parts original = Parts::of(file);
  const std::string text = original.descriptor.dump();
  std::mt19937_64 random(7);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(700);
  int refused = 0, read = 0;
  while (std::chrono::steady_clock::now() < end) {
    Parts parts = original;
    std::string changed = text;
    for (std::size_t n = 1 + below(3); n > 0; --n) switch (below(4)) {
        case 0: changed[below(changed.size())] = static_cast<char>('0' + below(75)); break;
        case 1: changed.erase(below(changed.size() - 4), 1 + below(4)); break;
        case 2: changed.insert(below(changed.size()), changed.substr(below(changed.size()), below(40))); break;
        default: changed[below(changed.size())] = static_cast<char>('0' + below(10)); break;
      }
    (read_container_bytes(parts.with_text(changed), 1).ok() ? read : refused)++;
    // A block changed, its checksum mended.
    auto& array = parts.descriptor["arrays"][below(parts.descriptor["arrays"].size())];
    if (array["blocks"].empty()) continue;
    std::size_t at = 0;
    for (auto& other : parts.descriptor["arrays"]) {
      for (auto& block : other["blocks"]) {
        const auto stored = block["stored"].get<std::size_t>();
        if (&other == &array) {
          parts.blocks[at + below(stored)] = static_cast<std::uint8_t>(random());
          char sum[17];
          const auto value = layout::checksum64(std::span(parts.blocks).subspan(at, stored));
          std::snprintf(sum, sizeof sum, "%016llx", static_cast<unsigned long long>(value));
          block["checksum"] = sum;
        }
        at += stored;
      }
    }
    (read_container_bytes(parts.file(), 1).ok() ? read : refused)++;
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(read, 10) << "changed values and names are no damage that a reader could see";
}

}  // namespace
}  // namespace spress::io
