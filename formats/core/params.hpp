// Parameters of formats, orderings and generators: a struct lists its options once, and parsing, printing and help
// follow.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/core/description.hpp"
#include "formats/core/names.hpp"
#include "formats/core/result.hpp"

namespace spress {

/// A name with parameters, as written on the command line: "sell:c=32,sigma=256" (or "gen:NAME,key=value,...").
struct Spec {
  std::string name;
  std::vector<std::pair<std::string, std::string>> options;
  [[nodiscard]] std::string text() const;        ///< NAME:key=value,...
  [[nodiscard]] std::string parameters() const;  ///< key=value,... or nothing
};

/// Errors: usage, where an option is not key=value or a key repeats.
[[nodiscard]] Result<Spec> parse_spec(std::string_view text);

/// Splits a list of specs at commas: an item without '=' begins a new spec, so "csr,opt-csr:index=delta,coo" is three
/// and "sell:c=32,sigma=256,csr" two.
[[nodiscard]] Result<std::vector<Spec>> parse_spec_list(std::string_view text);

/// Appends a spec unless it is there; returns its place.
std::size_t add_once(std::vector<Spec>& specs, const Spec& spec);

/// A number that may be left to the format: "auto", which is nothing, or the number itself.
using AutoNumber = std::optional<std::uint32_t>;

/// Errors: usage, for a parameter outside of [least, most].
[[nodiscard]] Status check_range(std::string_view format, std::string_view key, std::uint32_t number,
                                 std::uint32_t least, std::uint32_t most = std::numeric_limits<std::uint32_t>::max());
/// The same of one that may be auto.
[[nodiscard]] Status check_range(std::string_view format, std::string_view key, const AutoNumber& number,
                                 std::uint32_t least, std::uint32_t most = std::numeric_limits<std::uint32_t>::max());

struct NoParams {
  template <class Visitor>
  void describe(Visitor&) {}
};

/// One option of a parameter struct, for help texts and records.
struct OptionText {
  std::string key, value, choices, help;
};

namespace detail {

struct ParamReader {
  const std::vector<std::pair<std::string, std::string>>& options;
  std::vector<bool> used;
  std::string error;

  explicit ParamReader(const std::vector<std::pair<std::string, std::string>>& o) : options(o), used(o.size()) {}
  template <class T>
  void option(std::string_view key, T& value, std::string_view) {
    for (std::size_t i = 0; i < options.size(); ++i)
      if (options[i].first == key) {
        used[i] = true;
        read(options[i].second, value, key);
      }
  }

 private:
  void complain(std::string_view key, std::string_view text, std::string_view wanted) {
    if (error.empty()) error = std::string(key) + "=" + std::string(text) + ": expected " + std::string(wanted);
  }
  void complain_of_name(std::string_view key, std::string_view text, const std::vector<std::string>& choices);
  template <class T>
  void read(std::string_view text, T& value, std::string_view key) {
    if constexpr (std::is_enum_v<T>) {
      const auto& names = EnumNames<T>::names;
      const auto found = std::find(names.begin(), names.end(), text);
      if (found != names.end())
        value = static_cast<T>(found - names.begin());
      else
        complain_of_name(key, text, {names.begin(), names.end()});
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = text;
    } else if constexpr (std::is_same_v<T, AutoNumber>) {
      std::uint32_t number = 0;
      if (text == "auto")
        value.reset();
      else if (read_number(text, number))
        value = number;
      else
        complain(key, text, "auto or " + numbers<std::uint32_t>());
    } else if (T parsed{}; read_number(text, parsed)) {
      value = parsed;
    } else {
      complain(key, text, numbers<T>());
    }
  }
  template <class T>
  static std::string numbers() {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_integral_v<T>)
      return "an integer from " + std::to_string(Limits::min()) + " to " + std::to_string(Limits::max());
    else
      return "a number";
  }
  template <class T>
  static bool read_number(std::string_view text, T& value) {
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc{} && end == text.data() + text.size();
  }
};

struct ParamWriter {
  std::vector<OptionText> out;
  template <class T>
  void option(std::string_view key, T& value, std::string_view help) {
    OptionText text{std::string(key), {}, {}, std::string(help)};
    if constexpr (std::is_enum_v<T>) {
      text.value = enum_name(value);
      for (auto name : EnumNames<T>::names) text.choices += (text.choices.empty() ? "" : "|") + std::string(name);
    } else if constexpr (std::is_same_v<T, std::string>) {
      text.value = value;
    } else if constexpr (std::is_same_v<T, AutoNumber>) {
      text.value = value ? std::to_string(*value) : "auto";
    } else {
      char buffer[64];
      text.value.assign(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
    }
    out.push_back(std::move(text));
  }
};

/// A usage error for option `i` of the spec, which is none of those known.
[[nodiscard]] Error unknown_parameter(const Spec& spec, std::size_t i, const std::vector<OptionText>& known);

}  // namespace detail

/// The options of a parameter struct with their present values.
template <class P>
[[nodiscard]] std::vector<OptionText> list_params(P params) {
  detail::ParamWriter writer;
  params.describe(writer);
  return std::move(writer.out);
}

/// Parameters from options. Errors: usage, naming the unknown key (and the known ones) or the value and what it should
/// be.
template <class P>
[[nodiscard]] Result<P> parse_params(const Spec& spec) {
  P params;
  if (spec.options.empty()) return params;
  detail::ParamReader reader(spec.options);
  params.describe(reader);
  if (!reader.error.empty()) return Error{ErrorCode::usage, spec.name + ": " + reader.error};
  const auto unknown = std::find(reader.used.begin(), reader.used.end(), false);
  if (unknown == reader.used.end()) return params;
  return detail::unknown_parameter(spec, static_cast<std::size_t>(unknown - reader.used.begin()), list_params(P{}));
}

}  // namespace spress
