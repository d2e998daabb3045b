// Files that are wrong: flipped, cut, mutated, and carefully made by somebody who means harm.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <random>
#include <string_view>

#include "formats/io/container/container.hpp"
#include "formats/io/container/container_layout.hpp"
#include "tests/formats/io/container/container_samples.hpp"

namespace spress::io {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Json = nlohmann::ordered_json;

/// In one place: the parser is compiled anew for each type of text.
Json parsed(const std::string& text) { return Json::parse(text); }

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
    return {Bytes(file.begin() + layout::header_bytes, split), parsed({split, file.end()})};
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
  return read.ok() ? Error{ErrorCode::usage, "was read without complaint"} : read.error();
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
    file[at] = 3;
    const std::uint64_t sum = layout::checksum64(std::span(file).first(40));
    std::memcpy(file.data() + 40, &sum, sizeof sum);
    expect_error(file, ErrorCode::unsupported, " 3; this program");
  }
}

/// The value at `path` of a descriptor: names and numbers separated by slashes, an array by its name
/// ("arrays/row_ptr/count"), "-" for a new element at the end of a list.
Json& value_at(Json& descriptor, const std::string& path) {
  Json* at = &descriptor;
  for (std::size_t begin = 0, end = 0; end < path.size(); begin = end + 1) {
    end = std::min(path.find('/', begin), path.size());
    const std::string step = path.substr(begin, end - begin);
    if (at->is_object()) {
      at = &(*at)[step];
    } else if (step == "-") {
      at = &at->emplace_back(nullptr);
    } else if (std::isdigit(static_cast<unsigned char>(step[0])) != 0) {
      at = &at->at(std::stoul(step));
    } else {
      std::size_t i = 0;
      while (at->at(i)["name"] != step) ++i;
      at = &(*at)[i];
    }
  }
  return *at;
}

/// One value of the descriptor set to another, given as JSON.
struct Change {
  const char* path;
  const char* value;
  ErrorCode code;
  const char* part;
};

constexpr Change changes[] = {
    {"format", R"("xyz")", ErrorCode::unsupported, "format 'xyz' is unknown here; known are csr, coo"},
    {"format_version", "2", ErrorCode::unsupported,
     "format 'opt-csr' is stored in version 2 of its layout, and this program knows version 1: read the file with"},
    {"format_version", "0", ErrorCode::unsupported, "version 0 of its layout"},
    {"format_version", "18446744073709551615", ErrorCode::unsupported, "version 18446744073709551615 of its layout"},
    {"format_version", R"("1")", ErrorCode::damaged, "format_version must be a number that is not negative"},
    {"format_version", "-1", ErrorCode::damaged, "format_version must be a number that is not negative"},
    {"format_version", "null", ErrorCode::damaged, "format_version must be a number that is not negative"},
    {"", "[1,2]", ErrorCode::damaged, "is no object"},
    {"arrays", "7", ErrorCode::damaged, "arrays must be a list"},
    {"arrays", "[]", ErrorCode::damaged, "belong to no array"},
    {"arrays/row_ptr/role", R"("value")", ErrorCode::damaged, "array 'row_ptr' has role value, expected pointer"},
    {"arrays/row_ptr/role", R"("x")", ErrorCode::damaged, "role: 'x'"},
    {"arrays/row_ptr/type", R"("u128")", ErrorCode::damaged, "type: 'u128'"},
    {"arrays/row_ptr/type", R"("i32")", ErrorCode::damaged, "row_ptr holds i32"},
    {"arrays/ordering_row_perm/type", R"("i32")", ErrorCode::damaged,
     "'ordering_row_perm' cannot hold elements of type i32"},
    {"arrays/row_ptr/count", "8", ErrorCode::damaged, "array 'row_ptr': its blocks hold 7 elements, its count says 8"},
    {"arrays/values/count", "1152921504606846976", ErrorCode::damaged, "array 'values'"},
    {"arrays/row_ptr/count", "-7", ErrorCode::damaged, "not negative"},
    {"arrays/row_ptr/count", "7.0", ErrorCode::damaged, "count must be"},
    {"arrays/row_ptr/count", "1e30", ErrorCode::damaged, "count must be"},
    {"arrays/row_perm/name", R"("row_permutation")", ErrorCode::damaged, "array 'row_perm' is missing"},
    {"scalars/cols", R"("x")", ErrorCode::damaged, "'cols' cannot be 'x'"},
    {"scalars/index", R"("x")", ErrorCode::damaged, "'index' cannot be 'x'"},
    {"scalars/cols", "true", ErrorCode::damaged, "'cols' cannot be 'true'"},
    {"scalars/cols", R"("6")", ErrorCode::damaged, R"('cols' cannot be '"6"')"},
    {"scalars/cols", R"("06")", ErrorCode::damaged, R"('cols' cannot be '"06"')"},
    {"scalars/cols", "6.0", ErrorCode::damaged, "'cols' cannot be '6.0'"},
    {"scalars/cols", "-6", ErrorCode::damaged, "'cols' cannot be '-6'"},
    {"scalars/index", "0", ErrorCode::damaged, "'index' cannot be '0'"},
    {"arrays/row_ptr/count", R"("7")", ErrorCode::damaged, "count must be"},
    {"arrays/row_ptr/blocks/0/checksum", R"("ABCDEF0123456789")", ErrorCode::damaged, "lower-case hexadecimal"},
    {"ordering/row_perm", R"("")", ErrorCode::damaged, "row_perm must be a name or null"},
    {"scalars/cols", "5", ErrorCode::damaged, "leave the matrix"},
    {"scalars/rows", "2147483647", ErrorCode::damaged, "section_start"},
    {"scalars/rows", "18446744073709551615", ErrorCode::too_large, "32-bit"},
    {"scalars/nnz", "18446744073709551615", ErrorCode::damaged, "value"},
    {"matrix/field", R"("quaternion")", ErrorCode::damaged, "quaternion"},
    {"arrays/row_ptr/blocks", R"("none")", ErrorCode::damaged, "blocks must be a list"},
    {"arrays/row_ptr/blocks/1", "3", ErrorCode::damaged, "array 'row_ptr', block 1 is no object"},
    {"arrays/row_ptr/blocks/1/raw", "0", ErrorCode::damaged, "block 1.raw"},
    {"arrays/row_ptr/blocks/1/raw", "13", ErrorCode::damaged, "multiple of 4"},
    {"arrays/row_ptr/blocks/1/raw", "67108868", ErrorCode::damaged, "up to 64 MiB"},
    {"arrays/row_ptr/blocks/1/stored", "0", ErrorCode::damaged, ".stored"},
    {"arrays/row_ptr/blocks/1/stored", "18446744073709551615", ErrorCode::damaged, ".stored"},
    {"arrays/row_ptr/blocks/0/transform", R"("shuffle+zstd")", ErrorCode::unsupported,
     "array 'row_ptr', block 0: unknown transform 'shuffle+zstd'"},
    {"arrays/row_ptr/blocks/0/transform", R"("zstd")", ErrorCode::damaged, "array 'row_ptr', block 0 at byte"},
    {"arrays/values/blocks/0/transform", R"("bits")", ErrorCode::damaged, "array 'values', block 0 at byte"},
    {"arrays/row_ptr/blocks/0/checksum", R"("0")", ErrorCode::damaged, "hexadecimal digits"},
    {"ordering/col_perm", R"("row_perm")", ErrorCode::damaged, "row_perm"},
    {"ordering/row_perm", R"("nowhere")", ErrorCode::damaged, "'nowhere' is missing"},
    {"ordering", R"({"name":"none","row_perm":null,"col_perm":null})", ErrorCode::damaged,
     "'ordering_row_perm' does not belong to format 'opt-csr'"},
};

TEST(ContainerDamage, WrongDescriptorsAreRefused) {
  const Bytes file = small_file();
  for (const Change& change : changes) {
    SCOPED_TRACE(std::string(change.path) + " = " + change.value);
    Parts parts = Parts::of(file);
    Json& value = value_at(parts.descriptor, change.path);
    EXPECT_NE(value.dump(), change.value);
    value = parsed(change.value);
    expect_error(parts.file(), change.code, change.part);
  }
}

TEST(ContainerDamage, FilesWithoutALayoutVersionAreVersionOne) {
  Parts parts = Parts::of(small_file());
  EXPECT_EQ(parts.descriptor["format_version"], 1);
  parts.descriptor.erase("format_version");
  EXPECT_EQ(error_of(parts.file()).message, "was read without complaint");
  const auto head = read_container_head_bytes(parts.file());
  ASSERT_TRUE(head.ok());
  EXPECT_EQ(head->format_version, 1u);
}

/// The head of a file in an unknown layout can be read: `info` says what the file is.
TEST(ContainerDamage, TheHeadTellsAnUnknownLayoutVersion) {
  Parts parts = Parts::of(small_file());
  parts.descriptor["format_version"] = 7;
  const auto head = read_container_head_bytes(parts.file());
  ASSERT_TRUE(head.ok());
  EXPECT_EQ(head->format_version, 7u);
}

TEST(ContainerDamage, WhatIsMissingIsNamed) {
  Parts parts = Parts::of(small_file());
  parts.descriptor.erase("ordering");
  expect_error(parts.file(), ErrorCode::damaged, "lacks 'ordering'");
  parts = Parts::of(small_file());
  parts.descriptor["scalars"].erase("cols");
  expect_error(parts.file(), ErrorCode::damaged, "lacks scalar 'cols'");
}

TEST(ContainerDamage, AnArrayAppearsOnce) {
  Parts parts = Parts::of(small_file());
  const Json twice = value_at(parts.descriptor, "arrays/col16");
  parts.descriptor["arrays"].push_back(twice);
  expect_error(parts.file(), ErrorCode::damaged, "array 'col16' appears twice");
}

TEST(ContainerDamage, BlocksFillTheFileUpToTheDescriptor) {
  Parts parts = Parts::of(small_file());
  parts.blocks.pop_back();
  expect_error(parts.file(), ErrorCode::damaged, "reaches into the descriptor");
  parts = Parts::of(small_file());
  parts.blocks.push_back(0);
  expect_error(parts.file(), ErrorCode::damaged, "1 bytes in front of the descriptor");
}

TEST(ContainerDamage, EmptyArraysMoreThanKnownAreLeftAlone) {
  Parts parts = Parts::of(small_file());
  value_at(parts.descriptor, "arrays/-") =
      parsed(R"({"name":"more","role":"index","type":"u8","count":0,"blocks":[]})");
  EXPECT_TRUE(read_container_bytes(parts.file()).ok());
}

TEST(ContainerDamage, KeysMoreThanKnownAreLeftAlone) {
  Parts parts = Parts::of(small_file());
  parts.descriptor["future"] = parsed(R"({"a":1})");
  parts.descriptor["scalars"]["future"] = parsed("[-1.5,null]");
  EXPECT_TRUE(read_container_bytes(parts.file()).ok());
}

TEST(ContainerDamage, WrongJsonIsRefused) {
  const Parts parts = Parts::of(small_file());
  const std::string text = parts.descriptor.dump();
  expect_error(parts.with_text(""), ErrorCode::damaged, "not JSON");
  expect_error(parts.with_text(text.substr(1)), ErrorCode::damaged, "not JSON");
  expect_error(parts.with_text(text + "{}"), ErrorCode::damaged, "not JSON");
  expect_error(parts.with_text("\xFF" + text), ErrorCode::damaged, "not JSON");
  expect_error(parts.with_text("\xEF\xBB\xBF" + text), ErrorCode::damaged, "not JSON");
  expect_error(parts.with_text(text + std::string("\0{}", 3)), ErrorCode::damaged, "not JSON");
  expect_error(parts.with_text(text + '\0'), ErrorCode::damaged, "not JSON");
  expect_error(parts.with_text("{\"format\":\"csr\"," + text.substr(1)), ErrorCode::damaged, "key 'format' twice");
  expect_error(parts.with_text(std::string(100000, '[')), ErrorCode::damaged, "nested too deeply");
}

/// Forms of a number that the JSON library would not write.
TEST(ContainerDamage, WrongNumbersAreRefused) {
  const Parts parts = Parts::of(small_file());
  const std::string text = parts.descriptor.dump(), good = R"("cols":6)";
  const auto at = text.find(good);
  ASSERT_NE(at, std::string::npos);
  for (const std::string number :
       {"6e0", "6.", "06", "+6", "-0", "0x6", "NaN", "Infinity", "18446744073709551616", "6,"}) {
    std::string changed = text;
    changed.replace(at, good.size(), R"("cols":)" + number);
    EXPECT_FALSE(read_container_bytes(parts.with_text(changed)).ok()) << number;
  }
}

/// The type of an empty array means nothing: each container is read as if it had the writer's types.
TEST(ContainerDamage, EmptyArraysOfAnyTypeAreRead) {
  const samples::OneThread one_thread;
  std::size_t retyped = 0;
  const auto expect_read = [&]<template <class> class F>(const F<Owned>& f, const char* type) {
    Parts parts = Parts::of(std::move(write_container_bytes<F>(view_of(f), ContainerInfo())).value());
    for (Json& array : parts.descriptor["arrays"])
      if (array["count"] == 0 && ++retyped != 0) array["type"] = type;
    const auto read = read_container_bytes(parts.file());
    ASSERT_TRUE(read.ok()) << F<Owned>::name << ", " << type << ": " << read.error().text();
    EXPECT_TRUE(identical(std::get<F<Owned>>(read->matrix), f)) << F<Owned>::name << ", " << type;
  };
  const auto with_entries = samples::csr_of({"", 3, 5, {{0, 1}, {0, 4}, {2, 2}}});
  for (const auto& a : {with_entries, samples::csr_of({"", 3, 5, {}}), samples::csr_of({"", 0, 0, {}})})
    for (const StoreKind kind : all_stores) {
      auto values = with_store(view_of(a).values, kind);
      if (!values.ok()) continue;
      Csr<Owned> stored = a;
      stored.values = std::move(values).value();
      for_each_format([&]<template <class> class F>(Tag<F>) {
        const auto f = encode<F>(view_of(stored), {});
        if (!f.ok()) return;
        for (const char* type : {"u8", "i16", "f32", "f64", "c128"}) expect_read.template operator()<F>(*f, type);
      });
    }
  EXPECT_GT(retyped, 1000u);
}

/// A csr of one row that claims a column array of `blocks` blocks of 64 MiB each, every one backed by the same few
/// bytes.
Bytes claim_of(std::uint64_t blocks, const std::string& transform, const Bytes& stored) {
  const std::uint64_t raw = 64 << 20;
  char checksum[17];
  std::snprintf(checksum, sizeof checksum, "%016llx", static_cast<unsigned long long>(layout::checksum64(stored)));
  Parts parts = Parts::of(small_file());
  parts.blocks.clear();
  const std::string block = R"({"stored":)" + std::to_string(stored.size()) + R"(,"raw":)" + std::to_string(raw) +
                            R"(,"transform":")" + transform + R"(","checksum":")" + checksum + R"("})";
  std::string list;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    list += (i == 0 ? "" : ",") + block;
    parts.blocks.insert(parts.blocks.end(), stored.begin(), stored.end());
  }
  const auto array = [](const std::string& named, std::uint64_t count, const std::string& records) {
    return "{" + named + R"(,"count":)" + std::to_string(count) + R"(,"blocks":[)" + records + "]}";
  };
  parts.descriptor["format"] = "csr";
  parts.descriptor["ordering"] = parsed(R"({"name":"none","row_perm":null,"col_perm":null})");
  parts.descriptor["arrays"] = parsed("[" + array(R"("name":"row_ptr","role":"pointer","type":"u32")", 0, "") + "," +
                                      array(R"("name":"col_idx","role":"index","type":"u32")", blocks * raw / 4, list) +
                                      "," + array(R"("name":"values","role":"value","type":"f64")", 0, "") + "," +
                                      array(R"("name":"value_table","role":"value","type":"f64")", 0, "") + "]");
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
