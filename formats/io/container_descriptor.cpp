#include "formats/io/container_descriptor.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "formats/io/container_block.hpp"
#include "formats/io/container_layout.hpp"
#include "formats/io/container_names.hpp"

namespace spress::io {
namespace {

using Json = nlohmann::ordered_json;
using layout::damaged;

// --- Writing ---------------------------------------------------------------------------------------------------------

std::string hexadecimal(std::uint64_t number) {
  std::string digits(16, '0');
  for (std::size_t i = 16; i-- > 0; number >>= 4) digits[i] = "0123456789abcdef"[number & 15];
  return digits;
}

std::optional<std::uint64_t> parse_number(std::string_view text, int base) {
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// A scalar is a JSON number where its text is one; names of enumerations never are.
Json scalar_value(const std::string& text) {
  const auto number = parse_number(text, 10);
  return number ? Json(*number) : Json(text);
}

/// The text that scalar_value takes. It is neither a number nor a name where the descriptor must not have that value.
std::string scalar_text(const Json& value) {
  const bool name = value.is_string() && !parse_number(value.get_ref<const std::string&>(), 10);
  return name ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json block_object(const BlockRecord& block) {
  return {{"stored", block.stored_bytes},
          {"raw", block.bytes},
          {"transform", block.transform},
          {"checksum", hexadecimal(block.checksum)}};
}

Json array_object(const ArrayRecord& array) {
  Json object = {{"name", array.name}, {"role", array.role}, {"type", array.type}, {"count", array.count}};
  Json& blocks = object["blocks"] = Json::array();
  for (const BlockRecord& block : array.blocks) blocks.push_back(block_object(block));
  return object;
}

Json matrix_object(const MatrixInfo& info) {
  return {{"name", info.name},
          {"source", info.path},
          {"field", enum_name(info.field)},
          {"symmetry", enum_name(info.symmetry)},
          {"stored_entries", info.stored_entries},
          {"duplicates", info.duplicates}};
}

Json name_or_null(const std::string& name) { return name.empty() ? Json(nullptr) : Json(name); }

// --- Reading ---------------------------------------------------------------------------------------------------------

/// Refuses what the library would silently accept: a key twice, and nesting without end.
class Watch {
 public:
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > deepest) problem = "is nested too deeply";
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end && !keys_.empty()) keys_.pop_back();
    if (event == Json::parse_event_t::key && !keys_.empty()) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys_.back().insert(key).second) problem = "has the key '" + key + "' twice";
    }
    return true;
  }
  std::string problem;

 private:
  static constexpr int deepest = 16;
  std::vector<std::set<std::string>> keys_;
};

/// The library skips a byte-order mark and ends the text at a byte 0.
bool has_foreign_bytes(std::span<const std::uint8_t> text) {
  constexpr std::array<std::uint8_t, 3> byte_order_mark = {0xEF, 0xBB, 0xBF};
  return std::find(text.begin(), text.end(), 0) != text.end() ||
         (text.size() >= byte_order_mark.size() &&
          std::equal(byte_order_mark.begin(), byte_order_mark.end(), text.begin()));
}

Result<Json> parse_json(std::span<const std::uint8_t> text) {
  if (has_foreign_bytes(text)) return damaged("the descriptor is not JSON: it has a byte-order mark or a byte 0");
  Watch watch;
  const Json::parser_callback_t callback = [&watch](int depth, Json::parse_event_t event, Json& parsed) {
    return watch(depth, event, parsed);
  };
  Json parsed = Json::parse(text.begin(), text.end(), callback, /*allow_exceptions=*/false);
  if (!watch.problem.empty()) return damaged("the descriptor " + watch.problem);
  if (parsed.is_discarded()) return damaged("the descriptor is not JSON");
  return parsed;
}

/// The members of one JSON object, each of the type it must have.
class Members {
 public:
  static Result<Members> of(const Json& value, std::string where) {
    if (!value.is_object()) return damaged(where + " is no object");
    return Members(value, std::move(where));
  }
  [[nodiscard]] Result<std::uint64_t> number(const char* key) const {
    SPRESS_TRY(const Json* value, member(key, "a number that is not negative", &Json::is_number_unsigned));
    return value->get<std::uint64_t>();
  }
  [[nodiscard]] Result<std::string> text(const char* key) const {
    SPRESS_TRY(const Json* value, member(key, "a text", &Json::is_string));
    return value->get<std::string>();
  }
  /// A text, or null: then empty.
  [[nodiscard]] Result<std::string> text_or_null(const char* key) const {
    const auto found = object_->find(key);
    if (found != object_->end() && found->is_null()) return std::string();
    SPRESS_TRY(std::string name, text(key));
    if (name.empty()) return damaged(where_ + "." + key + " must be a name or null");
    return name;
  }
  [[nodiscard]] Result<const Json*> list(const char* key) const { return member(key, "a list", &Json::is_array); }
  [[nodiscard]] Result<Members> object(const char* key) const {
    SPRESS_TRY(const Json* value, member(key, "an object", &Json::is_object));
    return Members(*value, where_ + "." + key);
  }
  [[nodiscard]] const Json& json() const { return *object_; }
  [[nodiscard]] const std::string& where() const { return where_; }

  /// The value of a text that names a row of `named`.
  template <class T, class Find>
  [[nodiscard]] Result<T> named(const char* key, Find find) const {
    SPRESS_TRY(const std::string name, text(key));
    const std::optional<T> value = find(name);
    if (!value) return damaged(where_ + "." + key + ": '" + name + "' is none of the names it may have");
    return *value;
  }

 private:
  Members(const Json& object, std::string where) : object_(&object), where_(std::move(where)) {}
  [[nodiscard]] Result<const Json*> member(const char* key, const char* wanted,
                                           bool (Json::*is)() const noexcept) const {
    const auto found = object_->find(key);
    if (found == object_->end()) return damaged(where_ + " lacks '" + key + "'");
    if (!((*found).*is)()) return damaged(where_ + "." + key + " must be " + wanted);
    return &*found;
  }

  const Json* object_;
  std::string where_;
};

Result<MatrixInfo> parse_matrix(const Members& members) {
  MatrixInfo info;
  SPRESS_TRY(info.name, members.text("name"));
  SPRESS_TRY(info.path, members.text("source"));
  SPRESS_TRY(info.field, members.named<Field>("field", enum_named<Field>));
  SPRESS_TRY(info.symmetry, members.named<Symmetry>("symmetry", enum_named<Symmetry>));
  SPRESS_TRY(info.stored_entries, members.number("stored_entries"));
  SPRESS_TRY(info.duplicates, members.number("duplicates"));
  return info;
}

void parse_scalars(const Members& members, ContainerHead& head) {
  for (const auto& [name, value] : members.json().items()) head.scalars.emplace_back(name, scalar_text(value));
}

Result<BlockRecord> parse_block(const Members& members, std::size_t width) {
  BlockRecord block;
  SPRESS_TRY(block.stored_bytes, members.number("stored"));
  SPRESS_TRY(block.bytes, members.number("raw"));
  SPRESS_TRY(block.transform, members.text("transform"));
  SPRESS_TRY(const std::string checksum, members.text("checksum"));
  const auto parsed = checksum.size() == 16 ? parse_number(checksum, 16) : std::nullopt;
  if (!parsed || hexadecimal(*parsed) != checksum)
    return damaged(members.where() + ".checksum must be 16 lower-case hexadecimal digits");
  block.checksum = *parsed;
  const auto coding = coding_named(block.transform);
  if (!coding)
    return layout::unsupported(members.where() + ": unknown transform '" + block.transform +
                               "', perhaps of a newer version");
  if (!transform_applies(coding->transform, width))
    return damaged(members.where() + ": transform '" + block.transform + "' does not fit elements of " +
                   std::to_string(width) + " bytes");
  if (block.bytes == 0 || block.bytes > layout::largest_block || block.bytes % width != 0)
    return damaged(members.where() + ".raw must be a multiple of " + std::to_string(width) + " up to 64 MiB");
  if (block.stored_bytes == 0 || block.stored_bytes > block.bytes + packed_head_bytes(width))
    return damaged(members.where() + ".stored does not fit what it holds");
  return block;
}

/// Hands out the bytes between header and descriptor, block by block, without gaps.
struct Place {
  std::uint64_t next, end;
  Status take(BlockRecord& block, const std::string& where) {
    if (block.stored_bytes > end - next) return damaged(where + " reaches into the descriptor");
    block.offset = next;
    next += block.stored_bytes;
    return Ok{};
  }
};

Result<ArrayRecord> parse_array(const Members& members, Place& place) {
  ArrayRecord array;
  SPRESS_TRY(array.name, members.text("name"));
  SPRESS_TRY(const Role role, members.named<Role>("role", role_named));
  SPRESS_TRY(const DType type, members.named<DType>("type", dtype_named));
  SPRESS_TRY(array.count, members.number("count"));
  SPRESS_TRY(const Json* blocks, members.list("blocks"));
  array.role = to_string(role);
  array.type = to_string(type);
  std::uint64_t bytes = 0;
  for (const Json& value : *blocks) {
    const std::string where = "array '" + array.name + "', block " + std::to_string(array.blocks.size());
    SPRESS_TRY(const Members block_members, Members::of(value, where));
    SPRESS_TRY(BlockRecord block, parse_block(block_members, size_of(type)));
    SPRESS_CHECK(place.take(block, where));
    bytes += block.bytes;
    array.blocks.push_back(std::move(block));
  }
  if (bytes / size_of(type) != array.count)
    return damaged("array '" + array.name + "': its blocks hold " + std::to_string(bytes / size_of(type)) +
                   " elements, its count says " + std::to_string(array.count));
  return array;
}

Status parse_arrays(const Json& list, Place place, ContainerHead& head) {
  std::set<std::string> names;
  for (const Json& value : list) {
    const std::string where = "arrays[" + std::to_string(head.arrays.size()) + "]";
    SPRESS_TRY(const Members members, Members::of(value, where));
    SPRESS_TRY(ArrayRecord array, parse_array(members, place));
    if (!names.insert(array.name).second) return damaged("array '" + array.name + "' appears twice");
    head.arrays.push_back(std::move(array));
  }
  if (place.next != place.end)
    return damaged(std::to_string(place.end - place.next) + " bytes in front of the descriptor belong to no array");
  return Ok{};
}

}  // namespace

std::string descriptor_text(const ContainerHead& head) {
  Json scalars = Json::object();
  for (const auto& [name, text] : head.scalars) scalars[name] = scalar_value(text);
  Json arrays = Json::array();
  for (const ArrayRecord& array : head.arrays) arrays.push_back(array_object(array));
  const Json ordering = {{"name", head.info.ordering},
                         {"row_perm", name_or_null(head.row_perm_array)},
                         {"col_perm", name_or_null(head.col_perm_array)}};
  const Json descriptor = {{"format", head.format},         {"parameters", head.info.parameters},
                           {"scalars", std::move(scalars)}, {"matrix", matrix_object(head.info.matrix)},
                           {"ordering", ordering},          {"arrays", std::move(arrays)}};
  return descriptor.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<ContainerHead> parse_descriptor(std::span<const std::uint8_t> text, std::uint64_t first_block,
                                       std::uint64_t blocks_end) {
  SPRESS_TRY(const Json json, parse_json(text));
  SPRESS_TRY(const Members members, Members::of(json, "the descriptor"));
  ContainerHead head;
  SPRESS_TRY(head.format, members.text("format"));
  SPRESS_TRY(head.info.parameters, members.text("parameters"));
  SPRESS_TRY(const Members scalars, members.object("scalars"));
  parse_scalars(scalars, head);
  SPRESS_TRY(const Members matrix, members.object("matrix"));
  SPRESS_TRY(head.info.matrix, parse_matrix(matrix));
  SPRESS_TRY(const Members ordering, members.object("ordering"));
  SPRESS_TRY(head.info.ordering, ordering.text("name"));
  SPRESS_TRY(head.row_perm_array, ordering.text_or_null("row_perm"));
  SPRESS_TRY(head.col_perm_array, ordering.text_or_null("col_perm"));
  SPRESS_TRY(const Json* arrays, members.list("arrays"));
  SPRESS_CHECK(parse_arrays(*arrays, Place{first_block, blocks_end}, head));
  return head;
}

}  // namespace spress::io
