// The archive that fills a described record from JSON: see reports/json/json_archive.hpp.
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
#include <utility>
#include <variant>
#include <vector>

#include "formats/json/tree.hpp"
#include "reports/json/json.hpp"
#include "reports/json/json_writer.hpp"
#include "reports/records/records.hpp"
#include "reports/records/runs.hpp"

namespace spress::reports {

/// The place of a value in its document, as a list from the inside out. Its text is made only for an error.
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
void read(json::View from, ParameterValue& value, const JsonPath& path, JsonProblem& problem);
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
  /// Records of earlier versions lack it.
  void kind(std::string_view wanted) {
    std::string found(wanted);
    extra("kind", found);
    if (found != wanted) check(false, "kind", "is '" + found + "', not '" + std::string(wanted) + "'");
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
Parsed<Record> read_record(json::View document) {
  Parsed<Record> parsed;
  Record record;
  JsonProblem problem;
  read(document, record, JsonPath{}, problem);
  parsed.error = problem.text;
  if (parsed.error.empty()) parsed.record = std::move(record);
  return parsed;
}

template <class Record>
Parsed<Record> parse_record(std::string_view text, json::Tree& tree) {
  if (const std::string wrong = tree.parse(text); !wrong.empty()) return {{}, "not a JSON document: " + wrong};
  return read_record<Record>(tree.root());
}

template <class Record>
Parsed<Record> parse_record(std::string_view text) {
  json::Tree tree;
  return parse_record<Record>(text, tree);
}

}  // namespace spress::reports
