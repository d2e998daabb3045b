#include "reports/json.hpp"

#include <cmath>
#include <concepts>
#include <istream>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

namespace spress::reports {
namespace {

using Json = nlohmann::ordered_json;

// Each record is described once, by `describe(archive, record)`. Two archives walk the description: Writer fills a JSON
// object from the record, Reader fills the record from a JSON object.
template <class R, class Record>
concept Is = std::same_as<std::remove_const_t<R>, Record>;

void describe(auto& a, Is<ToolRecord> auto& r) {
  a.field("version", r.version);
  a.field("commit", r.commit);
}

void describe(auto& a, Is<ValueStatistics> auto& r) {
  a.field("distinct", r.distinct);
  a.field("coverage_256", r.coverage_256);
  a.field("coverage_65536", r.coverage_65536);
  a.field("exact_in_float", r.exact_in_float);
}

void describe(auto& a, Is<MatrixRecord> auto& r) {
  a.field("name", r.name);
  a.field("path", r.path);
  if (a.identity_only()) return;
  a.field("rows", r.rows);
  a.field("cols", r.cols);
  a.field("nnz", r.nnz);
  a.field("stored_entries", r.stored_entries);
  a.field("field", r.field);
  a.field("symmetry", r.symmetry);
  a.field("pattern_symmetric", r.pattern_symmetric);
  a.field("explicit_zeros", r.explicit_zeros);
  a.field("duplicates", r.duplicates);
  a.field("distinct_values", r.distinct_values);
  a.extra("values", r.values);
  a.extra("empty_rows", r.empty_rows);
  a.extra("max_row_nnz", r.max_row_nnz);
}

void describe(auto& a, Is<ClassCounts> auto& r) {
  a.field("8", r.bits8);
  a.field("16", r.bits16);
  a.field("32", r.bits32);
}

void describe(auto& a, Is<IndexClassRecord> auto& r) {
  a.field("matrix_bits", r.matrix_bits);
  a.check(r.matrix_bits == 8 || r.matrix_bits == 16 || r.matrix_bits == 32, "matrix_bits", "must be 8, 16 or 32");
  a.field("rows", r.rows);
  a.field("nnz", r.nnz);
}

void describe(auto& a, Is<BlockRecord> auto& r) {
  a.field("count", r.count);
  a.field("nnz_per_block", r.nnz_per_block);
}

void describe(auto& a, Is<FootprintRecord> auto& r) {
  a.reason("reason", r.reason);
  if (!r.reason.empty()) return;  // a format that cannot hold the matrix has no figures
  a.field("model_index_bytes", r.model_index_bytes);
  a.field("index_bytes", r.index_bytes);
  a.field("total_bytes", r.total_bytes);
  a.field("ratio_to_csr", r.ratio_to_csr);
  a.extra("index_bytes_per_nnz", r.index_bytes_per_nnz);
  a.extra("parameters", r.parameters);
  a.field("values", r.values);
}

bool are_cells(const SpyRecord& r) {
  return r.cells.size() == std::size_t{r.size} * r.size && r.cells.find_first_not_of("0123456789") == std::string::npos;
}

void describe(auto& a, Is<SpyRecord> auto& r) {
  a.field("size", r.size);
  a.field("cells", r.cells);
  a.check(are_cells(r), "cells", "must hold size*size digits");
}

void describe(auto& a, Is<OrderingRecord> auto& r) {
  a.field("status", r.status);
  a.check(r.status == "ok" || r.status == "not_applicable" || r.status == "error", "status",
          "must be ok, not_applicable or error");
  if (r.status != "ok") return a.extra("reason", r.reason);
  a.field("seconds", r.seconds);
  a.field("bandwidth", r.bandwidth);
  a.field("profile", r.profile);
  a.extra("max_wavefront", r.max_wavefront);
  a.extra("rms_wavefront", r.rms_wavefront);
  a.field("index_classes", r.index_classes);
  a.field("blocks_8x8", r.blocks_8x8);
  a.field("footprint", r.footprint);
  a.extra("spy", r.spy);
}

void describe(auto& a, Is<BestRecord> auto& r) {
  a.field("format", r.format);
  a.field("ordering", r.ordering);
  a.field("values", r.values);
  a.field("total_bytes", r.total_bytes);
}

void describe(auto& a, Is<ResumeKey> auto& r) {
  a.field("path", r.path);
  a.field("size", r.size);
  a.field("mtime_ns", r.mtime_ns);
  a.field("options", r.options);
}

void describe(auto& a, Is<AnalyzeRecord> auto& r) {
  a.schema();
  a.field("tool", r.tool);
  a.look_ahead("error", r.error);
  if (r.error) {
    a.identity("matrix", r.matrix);
  } else {
    a.field("matrix", r.matrix);
    a.field("orderings", r.orderings);
    a.field("best", r.best);
  }
  a.field("error", r.error);
  a.extra("seconds", r.seconds);
  a.extra("key", r.key);
}

void describe(auto& a, Is<MeasureRecord> auto& r) {
  a.field("format", r.format);
  a.field("parameters", r.parameters);
  a.field("values", r.values);
  a.field("type", r.type);
  a.field("total_bytes", r.total_bytes);
  a.field("seconds_median", r.seconds_median);
  a.field("seconds_min", r.seconds_min);
  a.field("seconds_max", r.seconds_max);
  a.field("repetitions", r.repetitions);
  a.field("gb_per_s", r.gb_per_s);
  a.field("gflops", r.gflops);
  a.field("speedup_vs_csr", r.speedup_vs_csr);
  a.field("max_error_ratio", r.max_error_ratio);
  a.field("ok", r.ok);
  a.reason("reason", r.reason);
}

void describe(auto& a, Is<VerifyRecord> auto& r) {
  a.schema();
  a.field("tool", r.tool);
  a.identity("matrix", r);
  a.field("device", r.device);
  a.field("formats", r.formats);
  a.field("ok", r.ok);
}

/// The matrix of a verify record: its name, path and shape lie in the record itself.
void describe_matrix(auto& a, Is<VerifyRecord> auto& r) {
  a.field("name", r.name);
  a.field("path", r.path);
  a.field("rows", r.rows);
  a.field("cols", r.cols);
  a.field("nnz", r.nnz);
}
void describe_matrix(auto& a, Is<MatrixRecord> auto& r) { describe(a, r); }

template <class T>
concept Described = std::is_aggregate_v<T>;
template <class T>
concept Plain = std::is_arithmetic_v<T> || std::same_as<T, std::string>;

Json written(const Plain auto& value);
Json written(const Described auto& value);
template <class T>
Json written(const std::optional<T>& value);
template <class T>
Json written(const std::vector<T>& list);
template <class T>
Json written(const Ordered<T>& map);

class Writer {
 public:
  explicit Writer(bool identity_only = false) : identity_only_(identity_only) {}
  bool identity_only() const { return identity_only_; }
  void schema() { object_["schema_version"] = schema_version; }
  template <class T>
  void field(const char* key, const T& value) {
    object_[key] = written(value);
  }
  template <class T>
  void extra(const char* key, const T& value) {
    field(key, value);
  }
  void extra(const char* key, const SpyRecord& spy) {
    if (spy.size != 0) object_[key] = written(spy);
  }
  void reason(const char* key, const std::string& text) {
    if (!text.empty()) object_[key] = text;
  }
  template <class T>
  void identity(const char* key, const T& record) {
    Writer writer(true);
    describe_matrix(writer, record);
    object_[key] = writer.take();
  }
  template <class T>
  void look_ahead(const char*, const T&) {}
  void check(bool, const char*, const char*) {}
  Json take() { return std::move(object_); }

 private:
  Json object_ = Json::object();
  bool identity_only_;
};

Json written(const Plain auto& value) {
  if constexpr (std::is_floating_point_v<std::remove_cvref_t<decltype(value)>>) {
    if (!std::isfinite(value)) return nullptr;
  }
  return value;
}
Json written(const Described auto& value) {
  Writer writer;
  describe(writer, value);
  return writer.take();
}
template <class T>
Json written(const std::optional<T>& value) {
  return value ? written(*value) : Json(nullptr);
}
template <class T>
Json written(const std::vector<T>& list) {
  Json json = Json::array();
  for (const T& item : list) json.push_back(written(item));
  return json;
}
template <class T>
Json written(const Ordered<T>& map) {
  Json json = Json::object();
  for (const auto& [key, item] : map) json[key] = written(item);
  return json;
}

template <class T>
std::string to_line(const T& record) {
  return written(record).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The first error of a document, with the key it belongs to.
struct Problem {
  std::string text;
  bool found() const { return !text.empty(); }
  void report(const std::string& path, const std::string& what) {
    if (!found()) text = path.empty() ? what : path + ": " + what;
  }
};

void read(const Json& json, std::string& value, const std::string& path, Problem& problem);
void read(const Json& json, bool& value, const std::string& path, Problem& problem);
void read(const Json& json, double& value, const std::string& path, Problem& problem);
void read(const Json& json, std::integral auto& value, const std::string& path, Problem& problem);
void read(const Json& json, Described auto& value, const std::string& path, Problem& problem);
template <class T>
void read(const Json& json, std::optional<T>& value, const std::string& path, Problem& problem);
template <class T>
void read(const Json& json, std::vector<T>& list, const std::string& path, Problem& problem);
template <class T>
void read(const Json& json, Ordered<T>& map, const std::string& path, Problem& problem);

class Reader {
 public:
  Reader(const Json& object, std::string path, Problem& problem, bool identity_only = false)
      : object_(object), path_(std::move(path)), problem_(problem), identity_only_(identity_only) {}
  bool identity_only() const { return identity_only_; }

  void schema() {
    int version = schema_version;
    field("schema_version", version);
    check(version == schema_version, "schema_version",
          "is " + std::to_string(version) + ", this program reads " + std::to_string(schema_version));
  }
  template <class T>
  void field(const char* key, T& value) {
    const auto found = object_.find(key);
    if (found == object_.end()) return problem_.report(path_to(key), "is missing");
    read(*found, value, path_to(key), problem_);
  }
  template <class T>
  void extra(const char* key, T& value) {
    if (object_.contains(key)) field(key, value);
  }
  void reason(const char* key, std::string& text) { extra(key, text); }
  template <class T>
  void look_ahead(const char* key, T& value) {
    extra(key, value);
  }
  template <class T>
  void identity(const char* key, T& record) {
    const auto found = object_.find(key);
    if (found == object_.end()) return problem_.report(path_to(key), "is missing");
    if (!found->is_object()) return problem_.report(path_to(key), "must be an object");
    Reader reader(*found, path_to(key), problem_, true);
    describe_matrix(reader, record);
  }
  void check(bool good, const char* key, const std::string& rule) {
    if (!good) problem_.report(path_to(key), rule);
  }

 private:
  std::string path_to(const char* key) const { return path_.empty() ? key : path_ + "." + key; }

  const Json& object_;
  std::string path_;
  Problem& problem_;
  bool identity_only_;
};

void wrong_type(const Json& json, const std::string& path, Problem& problem, const char* wanted) {
  problem.report(path, std::string("must be ") + wanted + ", not " + json.type_name());
}

void read(const Json& json, std::string& value, const std::string& path, Problem& problem) {
  if (!json.is_string()) return wrong_type(json, path, problem, "a string");
  value = json.get_ref<const std::string&>();
}

void read(const Json& json, bool& value, const std::string& path, Problem& problem) {
  if (!json.is_boolean()) return wrong_type(json, path, problem, "true or false");
  value = json.get<bool>();
}

void read(const Json& json, double& value, const std::string& path, Problem& problem) {
  if (json.is_null()) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (json.is_number()) {
    value = json.get<double>();
  } else {
    wrong_type(json, path, problem, "a number or null");
  }
}

void read(const Json& json, std::integral auto& value, const std::string& path, Problem& problem) {
  using T = std::remove_cvref_t<decltype(value)>;
  const bool in_range = json.is_number_unsigned()  ? std::in_range<T>(json.get<std::uint64_t>())
                        : json.is_number_integer() ? std::in_range<T>(json.get<std::int64_t>())
                                                   : false;
  if (json.is_number_integer() && !in_range) return problem.report(path, json.dump() + " is out of range");
  if (!in_range) return wrong_type(json, path, problem, "an integer");
  value = json.get<T>();
}

template <class T>
void read(const Json& json, std::optional<T>& value, const std::string& path, Problem& problem) {
  value.reset();
  if (!json.is_null()) read(json, value.emplace(), path, problem);
}

template <class T>
void read(const Json& json, std::vector<T>& list, const std::string& path, Problem& problem) {
  if (!json.is_array()) return wrong_type(json, path, problem, "an array");
  list.clear();
  for (const Json& item : json) {
    const std::string item_path = path + "[" + std::to_string(list.size()) + "]";
    read(item, list.emplace_back(), item_path, problem);
  }
}

template <class T>
void read(const Json& json, Ordered<T>& map, const std::string& path, Problem& problem) {
  if (!json.is_object()) return wrong_type(json, path, problem, "an object");
  map.clear();
  for (const auto& [key, item] : json.items()) read(item, map.emplace_back(key, T{}).second, path + "." + key, problem);
}

void read(const Json& json, Described auto& value, const std::string& path, Problem& problem) {
  if (!json.is_object()) return wrong_type(json, path, problem, "an object");
  Reader reader(json, path, problem);
  describe(reader, value);
}

template <class Record>
Parsed<Record> parse(std::string_view text) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& error) {
    return {.record = {}, .error = std::string("not a JSON document: ") + error.what()};
  }
  Record record;
  Problem problem;
  read(json, record, "", problem);
  if (problem.found()) return {.record = {}, .error = problem.text};
  return {.record = std::move(record), .error = {}};
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  const std::string quoted = Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
  return Json::parse(quoted).get<std::string>();
}

std::string to_json_line(const AnalyzeRecord& record) { return to_line(record); }
std::string to_json_line(const VerifyRecord& record) { return to_line(record); }
std::string to_json_line(const MeasureRecord& record) { return to_line(record); }

Parsed<AnalyzeRecord> parse_analyze_record(std::string_view json) { return parse<AnalyzeRecord>(json); }
Parsed<VerifyRecord> parse_verify_record(std::string_view json) { return parse<VerifyRecord>(json); }
Parsed<MeasureRecord> parse_measure_record(std::string_view json) { return parse<MeasureRecord>(json); }

AnalyzeRecords read_analyze_records(std::istream& in) {
  AnalyzeRecords out;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    out.ends_torn = in.eof();
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    Parsed<AnalyzeRecord> parsed = parse_analyze_record(line);
    if (parsed) {
      out.records.push_back(std::move(*parsed.record));
    } else {
      out.bad_lines.push_back({number, std::move(parsed.error)});
    }
  }
  return out;
}

}  // namespace spress::reports
