#include "reports/records/generator.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

namespace spress::reports {
namespace {

template <class T>
std::optional<T> whole_number(std::string_view text) {
  T number{};
  const char* last = text.data() + text.size();
  const auto [end, code] = std::from_chars(text.data(), last, number);
  return code == std::errc{} && end == last ? std::optional(number) : std::nullopt;
}

}  // namespace

ParameterValue parameter_value(std::string_view text) {
  if (const auto natural = whole_number<std::uint64_t>(text)) return *natural;
  if (const auto real = whole_number<double>(text); real && std::isfinite(*real)) return *real;
  return std::string(text);
}

}  // namespace spress::reports
