#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "formats/io/entries/numbers.hpp"
#include "formats/io/hdf5/layouts.hpp"

namespace spress::io::hdf5 {
namespace {

using nlohmann::json;

Error error_of(ErrorCode code, const Object& group, const std::string& what) {
  return {code, "the Binsparse descriptor of '" + group.path() + "' " + what};
}

/// A format of the specification: its arrays, and what they index.
struct Format {
  std::string_view name;
  Arrangement arrangement;
  bool by_columns = false, majors_listed = false, vector = false;
};
constexpr std::array<Format, 14> formats = {{{"CSR", Arrangement::compressed},
                                             {"CSC", Arrangement::compressed, true},
                                             {"DCSR", Arrangement::compressed, false, true},
                                             {"DCSC", Arrangement::compressed, true, true},
                                             {"COO", Arrangement::coordinates},
                                             {"COOR", Arrangement::coordinates},
                                             {"COOC", Arrangement::coordinates, true},
                                             {"DMAT", Arrangement::dense},
                                             {"DMATR", Arrangement::dense},
                                             {"DMATC", Arrangement::dense, true},
                                             {"DVEC", Arrangement::dense, true, false, true},
                                             {"VEC", Arrangement::coordinates, true, false, true},
                                             {"CVEC", Arrangement::coordinates, true, false, true},
                                             {"SVEC", Arrangement::coordinates, true, false, true}}};

const Format* format_named(std::string_view name) {
  const auto found = std::find_if(formats.begin(), formats.end(), [&](const Format& row) { return row.name == name; });
  return found == formats.end() ? nullptr : &*found;
}

/// The levels of a custom format in short, such as "dense1 sparse1", with the modifiers of its values taken off.
std::optional<std::string> levels_of(const json& level, json& values) {
  std::string text;
  const json* at = &level;
  for (int depth = 0; depth < 8 && at->is_object(); ++depth) {
    const std::string name = at->value("level", "");
    if (name == "element") return text;
    if (name == "iso" || name == "complex")
      values["wrapped_" + name] = true;
    else if (name == "dense" || name == "sparse")
      text += (text.empty() ? "" : " ") + name + std::to_string(at->value("rank", 0));
    else
      return std::nullopt;
    if (!at->contains("subformat")) return std::nullopt;
    at = &(*at)["subformat"];
  }
  return std::nullopt;
}

/// The predefined format that equals a custom one.
const Format* format_of_levels(const std::string& levels, bool swapped) {
  struct Row {
    std::string_view levels, rows, columns;
  };
  constexpr std::array<Row, 7> table = {{{"dense1 sparse1", "CSR", "CSC"},
                                         {"sparse1 sparse1", "DCSR", "DCSC"},
                                         {"sparse2", "COOR", "COOC"},
                                         {"dense2", "DMATR", "DMATC"},
                                         {"dense1 dense1", "DMATR", "DMATC"},
                                         {"dense1", "DVEC", "DVEC"},
                                         {"sparse1", "VEC", "VEC"}}};
  for (const Row& row : table)
    if (row.levels == levels) return format_named(swapped ? row.columns : row.rows);
  return nullptr;
}

struct Structure {
  std::string_view name;
  Symmetry symmetry;
  Triangle triangle;
};
constexpr std::array<Structure, 7> structures = {{{"general", Symmetry::general, Triangle::both},
                                                  {"symmetric_lower", Symmetry::symmetric, Triangle::lower},
                                                  {"symmetric_upper", Symmetry::symmetric, Triangle::upper},
                                                  {"hermitian_lower", Symmetry::hermitian, Triangle::lower},
                                                  {"hermitian_upper", Symmetry::hermitian, Triangle::upper},
                                                  {"skew_symmetric_lower", Symmetry::skew_symmetric, Triangle::lower},
                                                  {"skew_symmetric_upper", Symmetry::skew_symmetric, Triangle::upper}}};

/// Takes "word[" and "]" off a type's name, where they are.
bool take_modifier(std::string& type, std::string_view word) {
  if (!type.starts_with(std::string(word) + '[') || !type.ends_with(']')) return false;
  type = type.substr(word.size() + 1, type.size() - word.size() - 2);
  return true;
}

class Reader {
 public:
  Reader(const Object& group, json descriptor) : group_(group), said_(std::move(descriptor)) {}

  Result<PlacedMatrix> read(ChildOutput& output) {
    SPRESS_CHECK(read_format());
    SPRESS_CHECK(read_shape());
    SPRESS_CHECK(read_structure());
    if (said_.contains("fill") && said_["fill"] == true)
      return error_of(ErrorCode::unsupported, group_, "has a fill value; matrices whose other entries are 0 are read");
    return place(output);
  }

 private:
  Error wrong(const std::string& what) const { return error_of(ErrorCode::damaged, group_, what); }

  Status read_format() {
    if (!said_.contains("format")) return wrong("names no format");
    const json& format = said_["format"];
    if (format.is_string()) {
      format_ = format_named(format.get<std::string>());
    } else if (format.is_object()) {
      const json swizzle = said_.value("swizzle", format.value("swizzle", json::array()));
      const auto levels = levels_of(format, modifiers_);
      if (levels) format_ = format_of_levels(*levels, swizzle == json::array({1, 0}));
    }
    if (format_ == nullptr)
      return error_of(ErrorCode::unsupported, group_,
                      "has the format " + printable(format.dump()) +
                          "; matrices in CSR, CSC, DCSR, DCSC, COOR, COOC, DMATR, DMATC and vectors are read");
    matrix_.arrangement = format_->arrangement;
    matrix_.by_columns = format_->by_columns;
    matrix_.majors_listed = format_->majors_listed;
    return Ok{};
  }

  Status read_shape() {
    const json shape = said_.value("shape", json());
    const std::size_t wanted = format_->vector ? 1 : 2;
    if (!shape.is_array() || shape.size() != wanted ||
        !std::all_of(shape.begin(), shape.end(), [](const json& side) { return side.is_number_unsigned(); }))
      return wrong("has no shape of " + std::to_string(wanted) + " integers");
    matrix_.rows = shape[0].get<std::uint64_t>();
    matrix_.cols = format_->vector ? 1 : shape[1].get<std::uint64_t>();
    return Ok{};
  }

  Status read_structure() {
    const json name = said_.value("structure", json("general"));
    const auto found = std::find_if(structures.begin(), structures.end(), [&](const Structure& row) {
      return name.is_string() && row.name == name.get<std::string>();
    });
    if (found == structures.end())
      return error_of(ErrorCode::unsupported, group_,
                      "has the structure " + printable(name.dump()) + ", which is not read");
    matrix_.symmetry = found->symmetry;
    matrix_.triangle = found->triangle;
    return Ok{};
  }

  Result<PlacedMatrix> place(ChildOutput& output) {
    if (matrix_.arrangement == Arrangement::compressed) {
      SPRESS_CHECK(place_array("pointers_to_1", output, matrix_.pointers));
      if (matrix_.majors_listed) SPRESS_CHECK(place_array("indices_0", output, matrix_.major_ids));
      SPRESS_CHECK(place_array("indices_1", output, matrix_.minor_ids));
    } else if (matrix_.arrangement == Arrangement::coordinates) {
      SPRESS_CHECK(place_array("indices_0", output, format_->vector ? matrix_.minor_ids : matrix_.major_ids));
      if (!format_->vector) SPRESS_CHECK(place_array("indices_1", output, matrix_.minor_ids));
      if (format_->vector) SPRESS_CHECK(place_column_ids(output));
    }
    SPRESS_CHECK(place_values(output));
    SPRESS_CHECK(check_count());
    return matrix_;
  }

  Status place_array(const char* name, ChildOutput& output, Placed& to) const {
    SPRESS_TRY(const Object dataset, group_.open(name));
    SPRESS_TRY(to, dataset.copy_to(output));
    return Ok{};
  }

  /// A vector is the only column of its matrix: pointers to it.
  Status place_column_ids(ChildOutput& output) {
    const std::array<std::uint64_t, 2> pointers = {0, matrix_.minor_ids.count};
    matrix_.arrangement = Arrangement::compressed;
    matrix_.pointers = {DType::u64, 0, pointers.size()};
    SPRESS_TRY(matrix_.pointers.offset, output.append(pointers.data(), sizeof pointers));
    return Ok{};
  }

  Status place_values(ChildOutput& output) {
    const json types = said_.value("data_types", json::object());
    std::string type = types.is_object() && types.contains("values") && types["values"].is_string()
                           ? types["values"].get<std::string>()
                           : std::string();
    if (type.empty()) return wrong("has no type of the values");
    const bool iso = take_modifier(type, "iso") || modifiers_.contains("wrapped_iso");
    const bool complex = take_modifier(type, "complex") || modifiers_.contains("wrapped_complex");
    SPRESS_TRY(const Object values, group_.open("values"));
    SPRESS_CHECK(matrix_.take_values(values, output));
    matrix_.one_value = iso;
    if (type == "bint8") matrix_.boolean = true;
    if (complex && !matrix_.paired) {
      matrix_.paired = true;
      matrix_.field = Field::complex;
    }
    return Ok{};
  }

  Status check_count() const {
    const json count = said_.value("number_of_stored_values", json());
    if (matrix_.arrangement == Arrangement::dense || !count.is_number_unsigned() ||
        count.get<std::uint64_t>() == matrix_.minor_ids.count)
      return Ok{};
    return wrong("counts " + count.dump() + " stored values, and there are " + std::to_string(matrix_.minor_ids.count) +
                 " ids");
  }

  const Object& group_;
  json said_, modifiers_ = json::object();
  const Format* format_ = nullptr;
  PlacedMatrix matrix_;
};

}  // namespace

bool is_binsparse(const Object& group) { return group.is_group() && group.has_attribute("binsparse"); }

Result<PlacedMatrix> place_binsparse(const Object& group, ChildOutput& output) {
  const auto text = group.text("binsparse");
  if (!text) return error_of(ErrorCode::damaged, group, "is no text");
  json all = json::parse(*text, nullptr, false);
  if (!all.is_object()) return error_of(ErrorCode::damaged, group, "is no JSON object");
  json said = all.contains("binsparse") ? all["binsparse"] : all;
  if (!said.is_object()) return error_of(ErrorCode::damaged, group, "is no JSON object");
  PlacedMatrix matrix;
  try {
    SPRESS_TRY(matrix, Reader(group, std::move(said)).read(output));
  } catch (const json::type_error&) {
    return error_of(ErrorCode::damaged, group,
                    "has a member of another type than the specification says; names are texts, ranks are integers");
  }
  if (all.contains("comments") && all["comments"].is_string())
    SPRESS_CHECK(matrix.take_comments(all["comments"].get<std::string>(), output));
  return matrix;
}

}  // namespace spress::io::hdf5
