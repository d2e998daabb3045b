#include "formats/io/container/container_descriptor.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "formats/io/bytes/digits.hpp"
#include "formats/io/container/container_block.hpp"
#include "formats/io/container/container_layout.hpp"
#include "formats/io/container/container_names.hpp"
#include "formats/json/text.hpp"
#include "formats/json/tree.hpp"

namespace spress::io {
namespace {

using Json = json::Value;
using json::Kind;
using layout::damaged;

// --- Writing ---------------------------------------------------------------------------------------------------------

/// A scalar is a JSON number where its text is one; names of enumerations never are.
Json scalar_value(const std::string& text) {
  const auto number = parse_number(text, 10);
  return number ? Json(*number) : Json(text);
}

/// The text that scalar_value takes. It is neither a number nor a name where the descriptor must not have that value.
std::string scalar_text(json::View value) {
  if (const auto number = value.natural()) return std::to_string(*number);
  if (value.is(Kind::array) || value.is(Kind::object)) return value.kind_name();
  if (!value.is(Kind::string)) return std::string(value.source());
  std::string text = value.text();
  return parse_number(text, 10) ? '"' + text + '"' : text;
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

/// The members of one JSON object, each of the type it must have.
class Members {
 public:
  static Result<Members> of(json::View value, std::string where) {
    if (!value.is(Kind::object)) return damaged(where + " is no object");
    return Members(value, std::move(where));
  }
  [[nodiscard]] Result<std::uint64_t> number(const char* key) const {
    SPRESS_TRY(const json::View value, member(key));
    const auto number = value.natural();
    if (!number) return mistyped(key, "a number that is not negative");
    return *number;
  }
  [[nodiscard]] Result<std::string> text(const char* key) const {
    SPRESS_TRY(const json::View value, member(key, Kind::string, "a text"));
    return value.text();
  }
  /// A text, or null: then empty.
  [[nodiscard]] Result<std::string> text_or_null(const char* key) const {
    const auto found = object_.find(key);
    if (found && found->is(Kind::null)) return std::string();
    SPRESS_TRY(std::string name, text(key));
    if (name.empty()) return damaged(where_ + "." + key + " must be a name or null");
    return name;
  }
  [[nodiscard]] Result<json::View> list(const char* key) const { return member(key, Kind::array, "a list"); }
  [[nodiscard]] Result<Members> object(const char* key) const {
    SPRESS_TRY(const json::View value, member(key, Kind::object, "an object"));
    return Members(value, where_ + "." + key);
  }
  [[nodiscard]] json::View object() const { return object_; }
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
  Members(json::View object, std::string where) : object_(object), where_(std::move(where)) {}
  [[nodiscard]] Error mistyped(const char* key, const char* wanted) const {
    return damaged(where_ + "." + key + " must be " + wanted);
  }
  [[nodiscard]] Result<json::View> member(const char* key) const {
    const auto found = object_.find(key);
    if (!found) return damaged(where_ + " lacks '" + key + "'");
    return *found;
  }
  [[nodiscard]] Result<json::View> member(const char* key, Kind kind, const char* wanted) const {
    SPRESS_TRY(const json::View found, member(key));
    if (!found.is(kind)) return mistyped(key, wanted);
    return found;
  }

  json::View object_;
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
  members.object().each_member(
      [&](json::View name, json::View value) { head.scalars.emplace_back(name.text(), scalar_text(value)); });
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
  SPRESS_TRY(const json::View blocks, members.list("blocks"));
  array.role = to_string(role);
  array.type = to_string(type);
  std::uint64_t bytes = 0;
  for (const json::View value : blocks.items()) {
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

Status parse_arrays(json::View list, Place place, ContainerHead& head) {
  std::set<std::string> names;
  for (const json::View value : list.items()) {
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
  Json descriptor = {{"format", head.format},
                     {"format_version", head.format_version},
                     {"parameters", head.info.parameters},
                     {"scalars", std::move(scalars)},
                     {"matrix", matrix_object(head.info.matrix)},
                     {"ordering", ordering},
                     {"arrays", std::move(arrays)}};
  if (!head.info.made_from.empty()) descriptor["made_from"] = head.info.made_from;
  return descriptor.dump();
}

Result<ContainerHead> parse_descriptor(std::span<const std::uint8_t> text, std::uint64_t first_block,
                                       std::uint64_t blocks_end) {
  constexpr std::size_t deepest = 16;
  json::Tree tree;
  const std::string wrong = tree.parse({reinterpret_cast<const char*>(text.data()), text.size()}, deepest);
  if (!wrong.empty()) return damaged("the descriptor is not JSON: " + wrong);
  if (const auto name = tree.repeated_name()) return damaged("the descriptor has the key '" + *name + "' twice");
  SPRESS_TRY(const Members members, Members::of(tree.root(), "the descriptor"));
  ContainerHead head;
  SPRESS_TRY(head.format, members.text("format"));
  if (members.object().find("format_version")) {
    SPRESS_TRY(head.format_version, members.number("format_version"));
  }
  SPRESS_TRY(head.info.parameters, members.text("parameters"));
  if (members.object().find("made_from")) {
    SPRESS_TRY(head.info.made_from, members.text("made_from"));
  }
  SPRESS_TRY(const Members scalars, members.object("scalars"));
  parse_scalars(scalars, head);
  SPRESS_TRY(const Members matrix, members.object("matrix"));
  SPRESS_TRY(head.info.matrix, parse_matrix(matrix));
  SPRESS_TRY(const Members ordering, members.object("ordering"));
  SPRESS_TRY(head.info.ordering, ordering.text("name"));
  SPRESS_TRY(head.row_perm_array, ordering.text_or_null("row_perm"));
  SPRESS_TRY(head.col_perm_array, ordering.text_or_null("col_perm"));
  SPRESS_TRY(const json::View arrays, members.list("arrays"));
  SPRESS_CHECK(parse_arrays(arrays, Place{first_block, blocks_end}, head));
  return head;
}

}  // namespace spress::io
