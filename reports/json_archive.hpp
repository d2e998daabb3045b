// How records become JSON and come back. Each record is described once, by a function
//
//   void describe(auto& a, Is<MyRecord> auto& r) {
//     a.field("name", r.name);
//     a.extra("joined_later", r.joined_later);
//   }
//
// in the namespace of the record, and two archives walk the description: JsonWriter fills a JSON object from the
// record, JsonReader fills the record from a JSON object. The JSON library itself is seen by json_archive.cpp alone: it
// is by far the most costly part to compile.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "reports/json.hpp"
#include "reports/records.hpp"

namespace spress::reports {

/// For `describe`: R is Record, const or not.
template <class R, class Record>
concept Is = std::same_as<std::remove_const_t<R>, Record>;
template <class T>
concept Described = std::is_aggregate_v<T>;

/// A value inside a JSON document; only json_archive.cpp knows what it is.
class JsonValue;

// --- Writing ------------------------------------------------------------------------------------------------------

void write_null(JsonValue& json);
void write(JsonValue& json, bool value);
void write(JsonValue& json, std::int64_t value);
void write(JsonValue& json, std::uint64_t value);
void write(JsonValue& json, double value);  ///< null where it is not finite
void write(JsonValue& json, const std::string& value);
void write_empty_object(JsonValue& json);
void write_empty_array(JsonValue& json);
JsonValue& member_of(JsonValue& object, const std::string& key);  ///< made if it is not there
JsonValue& append_to(JsonValue& array);

/// The document that `fill` writes, on one line; bytes that are no UTF-8 are replaced.
std::string json_text(const std::function<void(JsonValue&)>& fill);

template <std::integral T>
requires(!std::same_as<T, bool> && !std::same_as<T, std::int64_t> &&
         !std::same_as<T, std::uint64_t>) void write(JsonValue& json, T value) {
  if constexpr (std::is_signed_v<T>)
    write(json, std::int64_t{value});
  else
    write(json, std::uint64_t{value});
}
void write(JsonValue& json, const Described auto& record);
template <class T>
void write(JsonValue& json, const std::optional<T>& value);
template <class T>
void write(JsonValue& json, const std::vector<T>& list);
template <class T>
void write(JsonValue& json, const Ordered<T>& map);

class JsonWriter {
 public:
  explicit JsonWriter(JsonValue& object, bool identity_only = false) : object_(object), identity_only_(identity_only) {
    write_empty_object(object_);
  }
  [[nodiscard]] bool identity_only() const { return identity_only_; }

  void schema() { write(member_of(object_, "schema_version"), std::int64_t{schema_version}); }
  /// A key of the contract.
  template <class T>
  void field(const char* key, const T& value) {
    write(member_of(object_, key), value);
  }
  /// A key that joined later.
  template <class T>
  void extra(const char* key, const T& value) {
    field(key, value);
  }
  /// A key whose value is null where it is not known.
  template <class T>
  void where_known(bool known, const char* key, const T& value) {
    if (known)
      field(key, value);
    else
      write_null(member_of(object_, key));
  }
  /// A key that is left out where the value is absent.
  template <class T>
  void if_present(bool present, const char* key, const T& value) {
    if (present) field(key, value);
  }
  template <class T>
  void unless_empty(const char* key, const T& value) {
    if_present(!value.empty(), key, value);
  }
  void reason(const char* key, const std::string& text) { unless_empty(key, text); }
  template <class T>
  void identity(const char* key, const T& record) {
    JsonWriter writer(member_of(object_, key), true);
    describe_matrix(writer, record);
  }
  template <class T>
  void look_ahead(const char*, const T&) {}
  void check(bool, const char*, const char*) {}

 private:
  JsonValue& object_;
  bool identity_only_;
};

void write(JsonValue& json, const Described auto& record) {
  JsonWriter writer(json);
  describe(writer, record);
}
template <class T>
void write(JsonValue& json, const std::optional<T>& value) {
  if (value)
    write(json, *value);
  else
    write_null(json);
}
template <class T>
void write(JsonValue& json, const std::vector<T>& list) {
  write_empty_array(json);
  for (const T& item : list) write(append_to(json), item);
}
template <class T>
void write(JsonValue& json, const Ordered<T>& map) {
  write_empty_object(json);
  for (const auto& [key, item] : map) write(member_of(json, key), item);
}

template <class Record>
std::string record_text(const Record& record) {
  return json_text([&](JsonValue& json) { write(json, record); });
}

// --- Reading ------------------------------------------------------------------------------------------------------

/// The first error of a document, with the key it belongs to.
struct JsonProblem {
  std::string text;
  [[nodiscard]] bool found() const { return !text.empty(); }
  void report(const std::string& path, const std::string& what) {
    if (!found()) text = path.empty() ? what : path + ": " + what;
  }
};

void wrong_type(const JsonValue& json, const std::string& path, JsonProblem& problem, const char* wanted);

bool is_null(const JsonValue& json);
bool is_object(const JsonValue& json);
bool is_array(const JsonValue& json);
const JsonValue* find_in(const JsonValue& object, const char* key);  ///< null if it is not there
void for_each_item(const JsonValue& array, const std::function<void(const JsonValue&)>& use);
void for_each_member(const JsonValue& object, const std::function<void(const std::string&, const JsonValue&)>& use);

void read(const JsonValue& json, std::string& value, const std::string& path, JsonProblem& problem);
void read(const JsonValue& json, bool& value, const std::string& path, JsonProblem& problem);
void read(const JsonValue& json, double& value, const std::string& path, JsonProblem& problem);
/// The integer, of which at most one is set; neither, with the problem reported, where it lies outside the limits.
struct JsonInteger {
  std::optional<std::int64_t> negative;
  std::optional<std::uint64_t> natural;
};
JsonInteger read_integer(const JsonValue& json, std::int64_t least, std::uint64_t most, const std::string& path,
                         JsonProblem& problem);

/// Calls use(document). Returns what is wrong with the text if it is no JSON, else nothing.
std::string parse_json_text(std::string_view text, const std::function<void(const JsonValue&)>& use);

template <std::integral T>
void read(const JsonValue& json, T& value, const std::string& path, JsonProblem& problem) {
  using Limits = std::numeric_limits<T>;
  const auto number = read_integer(json, static_cast<std::int64_t>(Limits::min()),
                                   static_cast<std::uint64_t>(Limits::max()), path, problem);
  if (number.negative) value = static_cast<T>(*number.negative);
  if (number.natural) value = static_cast<T>(*number.natural);
}
void read(const JsonValue& json, Described auto& record, const std::string& path, JsonProblem& problem);
template <class T>
void read(const JsonValue& json, std::optional<T>& value, const std::string& path, JsonProblem& problem);
template <class T>
void read(const JsonValue& json, std::vector<T>& list, const std::string& path, JsonProblem& problem);
template <class T>
void read(const JsonValue& json, Ordered<T>& map, const std::string& path, JsonProblem& problem);

class JsonReader {
 public:
  JsonReader(const JsonValue& object, std::string path, JsonProblem& problem, bool identity_only = false)
      : object_(object), path_(std::move(path)), problem_(problem), identity_only_(identity_only) {}
  [[nodiscard]] bool identity_only() const { return identity_only_; }

  void schema() {
    int version = schema_version;
    field("schema_version", version);
    check(version == schema_version, "schema_version",
          "is " + std::to_string(version) + ", this program reads " + std::to_string(schema_version));
  }
  template <class T>
  void field(const char* key, T& value) {
    if (const JsonValue* found = find_in(object_, key))
      read(*found, value, path_to(key), problem_);
    else
      problem_.report(path_to(key), "is missing");
  }
  template <class T>
  void extra(const char* key, T& value) {
    if (find_in(object_, key) != nullptr) field(key, value);
  }
  template <class T>
  void where_known(bool, const char* key, T& value) {
    const JsonValue* found = find_in(object_, key);
    if (found == nullptr || !is_null(*found)) field(key, value);
  }
  template <class T>
  void if_present(bool, const char* key, T& value) {
    extra(key, value);
  }
  template <class T>
  void unless_empty(const char* key, T& value) {
    extra(key, value);
  }
  void reason(const char* key, std::string& text) { extra(key, text); }
  template <class T>
  void look_ahead(const char* key, T& value) {
    extra(key, value);
  }
  template <class T>
  void identity(const char* key, T& record) {
    const JsonValue* found = find_in(object_, key);
    if (found == nullptr) return problem_.report(path_to(key), "is missing");
    if (!is_object(*found)) return problem_.report(path_to(key), "must be an object");
    JsonReader reader(*found, path_to(key), problem_, true);
    describe_matrix(reader, record);
  }
  void check(bool good, const char* key, const std::string& rule) {
    if (!good) problem_.report(path_to(key), rule);
  }

 private:
  [[nodiscard]] std::string path_to(const char* key) const { return path_.empty() ? key : path_ + "." + key; }

  const JsonValue& object_;
  std::string path_;
  JsonProblem& problem_;
  bool identity_only_;
};

void read(const JsonValue& json, Described auto& record, const std::string& path, JsonProblem& problem) {
  if (!is_object(json)) return wrong_type(json, path, problem, "an object");
  JsonReader reader(json, path, problem);
  describe(reader, record);
}
template <class T>
void read(const JsonValue& json, std::optional<T>& value, const std::string& path, JsonProblem& problem) {
  value.reset();
  if (!is_null(json)) read(json, value.emplace(), path, problem);
}
template <class T>
void read(const JsonValue& json, std::vector<T>& list, const std::string& path, JsonProblem& problem) {
  if (!is_array(json)) return wrong_type(json, path, problem, "an array");
  list.clear();
  for_each_item(json, [&](const JsonValue& item) {
    const std::string item_path = path + "[" + std::to_string(list.size()) + "]";
    read(item, list.emplace_back(), item_path, problem);
  });
}
template <class T>
void read(const JsonValue& json, Ordered<T>& map, const std::string& path, JsonProblem& problem) {
  if (!is_object(json)) return wrong_type(json, path, problem, "an object");
  map.clear();
  for_each_member(json, [&](const std::string& key, const JsonValue& item) {
    read(item, map.emplace_back(key, T{}).second, path + "." + key, problem);
  });
}

template <class Record>
Parsed<Record> parse_record(std::string_view text) {
  Parsed<Record> parsed;
  Record record;
  JsonProblem problem;
  parsed.error = parse_json_text(text, [&](const JsonValue& json) { read(json, record, "", problem); });
  if (problem.found()) parsed.error = problem.text;
  if (parsed.error.empty()) parsed.record = std::move(record);
  return parsed;
}

// --- Records that several documents hold ----------------------------------------------------------------------------

void describe(auto& a, Is<ToolRecord> auto& r) {
  a.field("version", r.version);
  a.field("commit", r.commit);
}

void describe(auto& a, Is<MachineRecord> auto& r) {
  a.field("machine", r.machine);
  a.field("device", r.device);
  a.field("driver", r.driver);
  a.field("compiler", r.compiler);
  a.field("commit", r.commit);
  a.field("command", r.command);
  a.field("threads", r.threads);
  a.field("instruction_set", r.instruction_set);
  a.field("copy_gb_per_s", r.copy_gb_per_s);
  a.where_known(r.last_level_cache_bytes != 0, "last_level_cache_bytes", r.last_level_cache_bytes);
}

void describe(auto& a, Is<CandidateRecord> auto& r) {
  a.field("ordering", r.ordering);
  a.field("format", r.format);
  a.field("parameters", r.parameters);
  a.field("values", r.values);
  a.field("total_bytes", r.total_bytes);
  a.field("exact", r.exact);
  a.field("predicted_seconds", r.predicted_seconds);
  a.field("transfer_seconds", r.transfer_seconds);
}

void describe(auto& a, Is<ChoiceRecord> auto& r) {
  a.field("goal", r.goal);
  a.field("device", r.device);
  a.field("calibration", r.calibration);
  a.field("seconds", r.seconds);
  a.field("csr_products", r.csr_products);
  a.reason("declined", r.declined);
  a.extra("exact_seconds", r.exact_seconds);
  a.unless_empty("notes", r.notes);
  a.if_present(r.behind_best.has_value(), "behind_best", r.behind_best);
  a.field("candidates", r.candidates);
}

/// What a measurement of one matrix says of it; of one that failed, only which it was.
void describe_shape(auto& a, auto& r, bool known = true) {
  a.field("name", r.name);
  a.field("path", r.path);
  if (!known) return;
  a.field("rows", r.rows);
  a.field("cols", r.cols);
  a.field("nnz", r.nnz);
}

/// How long the work of a row took, and the speed that this is.
void describe_times(auto& a, auto& r) {
  a.field("seconds_median", r.seconds_median);
  a.field("seconds_min", r.seconds_min);
  a.field("seconds_max", r.seconds_max);
  a.where_known(r.repetitions != 0, "repetitions", r.repetitions);
  a.field("gb_per_s", r.gb_per_s);
  a.field("gflops", r.gflops);
  a.field("speedup_vs_csr", r.speedup_vs_csr);
}

/// What a row is about: the format, its values and their type.
void describe_subject(auto& a, auto& r) {
  a.field("format", r.format);
  a.field("parameters", r.parameters);
  a.field("values", r.values);
  a.field("type", r.type);
}

}  // namespace spress::reports
