#include "reports/json_archive.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace spress::reports {
namespace {

using Json = nlohmann::ordered_json;

// A JsonValue is never an object of its own: it is a Json seen from outside.
Json& real(JsonValue& json) { return reinterpret_cast<Json&>(json); }
const Json& real(const JsonValue& json) { return reinterpret_cast<const Json&>(json); }
JsonValue& opaque(Json& json) { return reinterpret_cast<JsonValue&>(json); }
const JsonValue& opaque(const Json& json) { return reinterpret_cast<const JsonValue&>(json); }

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

void write_null(JsonValue& json) { real(json) = nullptr; }
void write(JsonValue& json, bool value) { real(json) = value; }
void write(JsonValue& json, std::int64_t value) { real(json) = value; }
void write(JsonValue& json, std::uint64_t value) { real(json) = value; }
void write(JsonValue& json, double value) {
  if (std::isfinite(value))
    real(json) = value;
  else
    write_null(json);
}
void write(JsonValue& json, const std::string& value) { real(json) = value; }
void write_empty_object(JsonValue& json) { real(json) = Json::object(); }
void write_empty_array(JsonValue& json) { real(json) = Json::array(); }
JsonValue& member_of(JsonValue& object, const std::string& key) { return opaque(real(object)[key]); }
JsonValue& append_to(JsonValue& array) { return opaque(real(array).emplace_back(nullptr)); }

std::string json_text(const std::function<void(JsonValue&)>& fill) {
  Json json;
  fill(opaque(json));
  return dumped(json);
}

void wrong_type(const JsonValue& json, const std::string& path, JsonProblem& problem, const char* wanted) {
  problem.report(path, std::string("must be ") + wanted + ", not " + real(json).type_name());
}

bool is_null(const JsonValue& json) { return real(json).is_null(); }
bool is_object(const JsonValue& json) { return real(json).is_object(); }
bool is_array(const JsonValue& json) { return real(json).is_array(); }

const JsonValue* find_in(const JsonValue& object, const char* key) {
  const auto found = real(object).find(key);
  return found == real(object).end() ? nullptr : &opaque(*found);
}

void for_each_item(const JsonValue& array, const std::function<void(const JsonValue&)>& use) {
  for (const Json& item : real(array)) use(opaque(item));
}

void for_each_member(const JsonValue& object, const std::function<void(const std::string&, const JsonValue&)>& use) {
  for (const auto& [key, item] : real(object).items()) use(key, opaque(item));
}

void read(const JsonValue& json, std::string& value, const std::string& path, JsonProblem& problem) {
  if (!real(json).is_string()) return wrong_type(json, path, problem, "a string");
  value = real(json).get_ref<const std::string&>();
}

void read(const JsonValue& json, bool& value, const std::string& path, JsonProblem& problem) {
  if (!real(json).is_boolean()) return wrong_type(json, path, problem, "true or false");
  value = real(json).get<bool>();
}

void read(const JsonValue& json, double& value, const std::string& path, JsonProblem& problem) {
  if (is_null(json)) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (real(json).is_number()) {
    value = real(json).get<double>();
  } else {
    wrong_type(json, path, problem, "a number or null");
  }
}

JsonInteger read_integer(const JsonValue& json, std::int64_t least, std::uint64_t most, const std::string& path,
                         JsonProblem& problem) {
  JsonInteger out;
  if (!real(json).is_number_integer()) {
    wrong_type(json, path, problem, "an integer");
  } else if (real(json).is_number_unsigned() || real(json).get<std::int64_t>() >= 0) {
    if (const auto number = real(json).get<std::uint64_t>(); number <= most) out.natural = number;
  } else if (const auto number = real(json).get<std::int64_t>(); number >= least) {
    out.negative = number;
  }
  if (!out.natural && !out.negative) problem.report(path, dumped(real(json)) + " is out of range");
  return out;
}

std::string parse_json_text(std::string_view text, const std::function<void(const JsonValue&)>& use) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& error) {
    return std::string("not a JSON document: ") + error.what();
  }
  use(opaque(json));
  return {};
}

std::string valid_utf8(std::string_view text) {
  return Json::parse(dumped(Json(std::string(text)))).get<std::string>();
}

}  // namespace spress::reports
