#include "reports/json/json_archive.hpp"

#include <cmath>

namespace spress::reports {

std::string JsonPath::text() const {
  if (outer == nullptr) return {};
  std::string text = outer->text();
  if (key.data() == nullptr) return text + '[' + std::to_string(index) + ']';
  if (!text.empty()) text += '.';
  return text.append(key);
}

void wrong_type(json::View from, const JsonPath& path, JsonProblem& problem, const char* wanted) {
  problem.report(path, std::string("must be ") + wanted + ", not " + from.kind_name());
}

void read(json::View from, std::string& value, const JsonPath& path, JsonProblem& problem) {
  if (!from.is(json::Kind::string)) return wrong_type(from, path, problem, "a string");
  value = from.text();
}

void read(json::View from, bool& value, const JsonPath& path, JsonProblem& problem) {
  if (!from.is(json::Kind::boolean)) return wrong_type(from, path, problem, "true or false");
  value = from.truth();
}

void read(json::View from, double& value, const JsonPath& path, JsonProblem& problem) {
  if (!from.is(json::Kind::null) && !from.is(json::Kind::integer) && !from.is(json::Kind::real))
    return wrong_type(from, path, problem, "a number or null");
  value = from.is(json::Kind::null) ? std::numeric_limits<double>::quiet_NaN() : from.number();
  if (!from.is(json::Kind::null) && std::isnan(value))
    problem.report(path, std::string(from.source()) + " is out of range");
}

void read(json::View from, ParameterValue& value, const JsonPath& path, JsonProblem& problem) {
  if (from.is(json::Kind::string)) {
    value = from.text();
  } else if (const auto natural = from.is(json::Kind::integer) ? from.natural() : std::nullopt) {
    value = *natural;
  } else if (from.is(json::Kind::integer) || from.is(json::Kind::real)) {
    read(from, value.emplace<double>(), path, problem);
  } else {
    wrong_type(from, path, problem, "a string or a number");
  }
}

JsonInteger read_integer(json::View from, std::int64_t least, std::uint64_t most, const JsonPath& path,
                         JsonProblem& problem) {
  JsonInteger out;
  if (!from.is(json::Kind::integer)) {
    wrong_type(from, path, problem, "an integer");
    return out;
  }
  if (const auto natural = from.natural())
    out.natural = *natural <= most ? natural : std::nullopt;
  else if (const auto number = from.signed_integer())
    out.negative = *number >= least ? number : std::nullopt;
  if (!out.natural && !out.negative) problem.report(path, std::string(from.source()) + " is out of range");
  return out;
}

}  // namespace spress::reports
