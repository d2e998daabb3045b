// The archive that writes a described record as JSON: see reports/json/json_archive.hpp.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "formats/json/text.hpp"
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

inline void write(json::Writer& out, bool value) { out.value(value); }
inline void write(json::Writer& out, std::int64_t value) { out.value(value); }
inline void write(json::Writer& out, std::uint64_t value) { out.value(value); }
inline void write(json::Writer& out, double value) { out.value(value); }
inline void write(json::Writer& out, std::string_view value) { out.value(value); }
template <std::same_as<ParameterValue> T>  // no text shall become one
void write(json::Writer& out, const T& value) {
  std::visit([&](const auto& v) { out.value(v); }, value);
}

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
  void kind(std::string_view name) { field("kind", name); }
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

}  // namespace spress::reports
