// How records become JSON and come back. Each record is described once, by a function
//
//   void describe(auto& a, Is<MyRecord> auto& r) {
//     a.field("name", r.name);
//     a.extra("joined_later", r.joined_later);
//   }
//
// in the namespace of the record, and two archives walk the description: JsonWriter writes the record as a JSON object,
// JsonReader fills the record from a JSON object. Both pass std::bad_alloc on.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/json/text.hpp"
#include "formats/json/tree.hpp"
#include "reports/json/json.hpp"
#include "reports/records/records.hpp"
#include "reports/records/runs.hpp"

namespace spress::reports {

/// For `describe`: R is Record, const or not.
template <class R, class Record>
concept Is = std::same_as<std::remove_const_t<R>, Record>;
template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t n>
inline constexpr bool is_array<std::array<T, n>> = true;
template <class T>
concept Described = std::is_aggregate_v<T> && !is_array<T>;

// --- Writing ------------------------------------------------------------------------------------------------------

inline void write(json::Writer& out, bool value) { out.value(value); }
inline void write(json::Writer& out, std::int64_t value) { out.value(value); }
inline void write(json::Writer& out, std::uint64_t value) { out.value(value); }
inline void write(json::Writer& out, double value) { out.value(value); }
inline void write(json::Writer& out, std::string_view value) { out.value(value); }

template <std::integral T>
requires(!std::same_as<T, bool> && !std::same_as<T, std::int64_t> &&
         !std::same_as<T, std::uint64_t>) void write(json::Writer& out, T value) {
  if constexpr (std::is_signed_v<T>)
    write(out, std::int64_t{value});
  else
    write(out, std::uint64_t{value});
}
void write(json::Writer& out, const Described auto& record);
template <class T, std::size_t n>
void write(json::Writer& out, const std::array<T, n>& list);
template <class T>
void write(json::Writer& out, const std::optional<T>& value);
template <class T>
void write(json::Writer& out, const std::vector<T>& list);
template <class T>
void write(json::Writer& out, const Ordered<T>& map);

class JsonWriter {
 public:
  explicit JsonWriter(json::Writer& out, bool identity_only = false) : out_(out), identity_only_(identity_only) {
    out_.begin_object();
  }
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;
  void end() { out_.end_object(); }
  [[nodiscard]] bool identity_only() const { return identity_only_; }

  void schema() { field("schema_version", schema_version); }
  /// A key of the contract.
  template <class T>
  void field(const char* key, const T& value) {
    out_.key(key);
    write(out_, value);
  }
  /// A key that joined later.
  template <class T>
  void extra(const char* key, const T& value) {
    field(key, value);
  }
  /// A key whose value is null where it is not known.
  template <class T>
  void where_known(bool known, const char* key, const T& value) {
    if (known) return field(key, value);
    out_.key(key);
    out_.null();
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
  /// Digits that repeat, in short; in earlier versions the digits themselves under `plain_key`.
  void runs(const char* key, const char*, const std::string& digits) { field(key, shorten_runs(digits)); }
  void reason(const char* key, const std::string& text) { unless_empty(key, text); }
  template <class T>
  void identity(const char* key, const T& record) {
    out_.key(key);
    JsonWriter writer(out_, true);
    describe_matrix(writer, record);
    writer.end();
  }
  /// An object whose keys are described by `keys`, a function of an archive.
  void group(const char* key, const auto& keys) {
    out_.key(key);
    JsonWriter writer(out_);
    keys(writer);
    writer.end();
  }
  /// What only readers of the text need: a key, an object of such keys.
  template <class T>
  void constant(const char* key, const T& value) {
    field(key, value);
  }
  void constants(const char* key, const auto& keys) { group(key, keys); }
  template <class T>
  void look_ahead(const char*, const T&) {}
  void check(bool, const char*, const char*) {}

 private:
  json::Writer& out_;
  bool identity_only_;
};

void write(json::Writer& out, const Described auto& record) {
  JsonWriter writer(out);
  describe(writer, record);
  writer.end();
}
template <class T>
void write(json::Writer& out, const std::optional<T>& value) {
  if (value)
    write(out, *value);
  else
    out.null();
}
template <class T>
void write(json::Writer& out, const std::vector<T>& list) {
  out.begin_array();
  for (const T& item : list) write(out, item);
  out.end_array();
}
template <class T, std::size_t n>
void write(json::Writer& out, const std::array<T, n>& list) {
  out.begin_array();
  for (const T& item : list) write(out, item);
  out.end_array();
}
template <class T>
void write(json::Writer& out, const Ordered<T>& map) {
  out.begin_object();
  for (const auto& [key, item] : map) {
    out.key(key);
    write(out, item);
  }
  out.end_object();
}

/// indent: as for json::Writer.
template <class Record>
std::string record_text(const Record& record, int indent = -1) {
  json::Writer out(indent);
  write(out, record);
  return out.take();
}

// --- Reading ------------------------------------------------------------------------------------------------------

/// Where a value stands in its document, as a list from the inside out: its text is made only for an error.
struct JsonPath {
  const JsonPath* outer = nullptr;
  std::string_view key = {};  ///< in an object; of an array's item a null pointer
  std::size_t index = 0;      ///< in an array
  [[nodiscard]] std::string text() const;
};

/// The first error of a document, with the key it belongs to.
struct JsonProblem {
  std::string text;
  [[nodiscard]] bool found() const { return !text.empty(); }
  void report(const JsonPath& path, const std::string& what) {
    if (!found()) text = path.outer == nullptr ? what : path.text() + ": " + what;
  }
};

void wrong_type(json::View from, const JsonPath& path, JsonProblem& problem, const char* wanted);

void read(json::View from, std::string& value, const JsonPath& path, JsonProblem& problem);
void read(json::View from, bool& value, const JsonPath& path, JsonProblem& problem);
void read(json::View from, double& value, const JsonPath& path, JsonProblem& problem);
/// The integer, of which at most one is set; neither, with the problem reported, where it lies outside the limits.
struct JsonInteger {
  std::optional<std::int64_t> negative;
  std::optional<std::uint64_t> natural;
};
JsonInteger read_integer(json::View from, std::int64_t least, std::uint64_t most, const JsonPath& path,
                         JsonProblem& problem);

template <std::integral T>
void read(json::View from, T& value, const JsonPath& path, JsonProblem& problem) {
  using Limits = std::numeric_limits<T>;
  const auto number = read_integer(from, static_cast<std::int64_t>(Limits::min()),
                                   static_cast<std::uint64_t>(Limits::max()), path, problem);
  if (number.negative) value = static_cast<T>(*number.negative);
  if (number.natural) value = static_cast<T>(*number.natural);
}
void read(json::View from, Described auto& record, const JsonPath& path, JsonProblem& problem);
template <class T, std::size_t n>
void read(json::View from, std::array<T, n>& list, const JsonPath& path, JsonProblem& problem);
template <class T>
void read(json::View from, std::optional<T>& value, const JsonPath& path, JsonProblem& problem);
template <class T>
void read(json::View from, std::vector<T>& list, const JsonPath& path, JsonProblem& problem);
template <class T>
void read(json::View from, Ordered<T>& map, const JsonPath& path, JsonProblem& problem);

class JsonReader {
 public:
  /// Keeps references to path and problem.
  JsonReader(json::View object, const JsonPath& path, JsonProblem& problem, bool identity_only = false)
      : object_(object), path_(path), problem_(problem), identity_only_(identity_only) {}
  [[nodiscard]] bool identity_only() const { return identity_only_; }

  void schema() {
    int version = schema_version;
    field("schema_version", version);
    if (version != schema_version)
      check(false, "schema_version",
            "is " + std::to_string(version) + ", this program reads " + std::to_string(schema_version));
  }
  template <class T>
  void field(const char* key, T& value) {
    if (const auto found = object_.find(key))
      read(*found, value, path_to(key), problem_);
    else
      problem_.report(path_to(key), "is missing");
  }
  template <class T>
  void extra(const char* key, T& value) {
    if (const auto found = object_.find(key)) read(*found, value, path_to(key), problem_);
  }
  template <class T>
  void where_known(bool, const char* key, T& value) {
    const auto found = object_.find(key);
    if (!found || !found->is(json::Kind::null)) field(key, value);
  }
  template <class T>
  void if_present(bool, const char* key, T& value) {
    extra(key, value);
  }
  template <class T>
  void unless_empty(const char* key, T& value) {
    extra(key, value);
  }
  void runs(const char* key, const char* plain_key, std::string& digits) {
    if (!object_.find(key)) return field(plain_key, digits);
    field(key, digits);
    digits = expand_runs(digits);
  }
  void reason(const char* key, std::string& text) { extra(key, text); }
  template <class T>
  void look_ahead(const char* key, T& value) {
    extra(key, value);
  }
  void group(const char* key, const auto& keys, bool identity_only = false) {
    const auto found = object_.find(key);
    const JsonPath path = path_to(key);
    if (!found) return problem_.report(path, "is missing");
    if (!found->is(json::Kind::object)) return problem_.report(path, "must be an object");
    JsonReader reader(*found, path, problem_, identity_only);
    keys(reader);
  }
  template <class T>
  void constant(const char*, const T&) {}
  void constants(const char*, const auto&) {}
  template <class T>
  void identity(const char* key, T& record) {
    group(
        key, [&](JsonReader& a) { describe_matrix(a, record); }, true);
  }
  void check(bool good, const char* key, std::string_view rule) {
    if (!good) problem_.report(path_to(key), std::string(rule));
  }

 private:
  [[nodiscard]] JsonPath path_to(const char* key) const { return {&path_, key, 0}; }

  json::View object_;
  const JsonPath& path_;
  JsonProblem& problem_;
  bool identity_only_;
};

void read(json::View from, Described auto& record, const JsonPath& path, JsonProblem& problem) {
  if (!from.is(json::Kind::object)) return wrong_type(from, path, problem, "an object");
  JsonReader reader(from, path, problem);
  describe(reader, record);
}
template <class T>
void read(json::View from, std::optional<T>& value, const JsonPath& path, JsonProblem& problem) {
  value.reset();
  if (!from.is(json::Kind::null)) read(from, value.emplace(), path, problem);
}
template <class T>
void read(json::View from, std::vector<T>& list, const JsonPath& path, JsonProblem& problem) {
  if (!from.is(json::Kind::array)) return wrong_type(from, path, problem, "an array");
  list.clear();
  for (const json::View item : from.items()) {
    const JsonPath item_path = {&path, {}, list.size()};
    read(item, list.emplace_back(), item_path, problem);
  }
}
template <class T, std::size_t n>
void read(json::View from, std::array<T, n>& list, const JsonPath& path, JsonProblem& problem) {
  std::vector<T> items;
  read(from, items, path, problem);
  if (items.size() != n) return problem.report(path, "must hold " + std::to_string(n) + " items");
  std::move(items.begin(), items.end(), list.begin());
}
template <class T>
void read(json::View from, Ordered<T>& map, const JsonPath& path, JsonProblem& problem) {
  if (!from.is(json::Kind::object)) return wrong_type(from, path, problem, "an object");
  map.clear();
  from.each_member([&](json::View name, json::View item) {
    auto& [key, value] = map.emplace_back(name.text(), T{});
    read(item, value, JsonPath{&path, key, 0}, problem);
  });
}

template <class Record>
Parsed<Record> parse_record(std::string_view text, json::Tree& tree) {
  Parsed<Record> parsed;
  Record record;
  JsonProblem problem;
  if (const std::string wrong = tree.parse(text); !wrong.empty())
    problem.text = "not a JSON document: " + wrong;
  else
    read(tree.root(), record, JsonPath{}, problem);
  parsed.error = problem.text;
  if (parsed.error.empty()) parsed.record = std::move(record);
  return parsed;
}

template <class Record>
Parsed<Record> parse_record(std::string_view text) {
  json::Tree tree;
  return parse_record<Record>(text, tree);
}

// --- Records that several documents hold ----------------------------------------------------------------------------

void describe(auto& a, Is<ToolRecord> auto& r) {
  a.field("version", r.version);
  a.field("commit", r.commit);
}

void describe(auto& a, Is<ClassCounts> auto& r) {
  a.field("8", r.bits8);
  a.field("16", r.bits16);
  a.field("32", r.bits32);
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
  a.unless_empty("parameters", r.parameters);
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
  a.if_present(r.left_out != 0, "left_out", r.left_out);
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
