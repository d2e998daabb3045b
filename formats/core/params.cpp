#include "formats/core/params.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace spress {
namespace {

Error bad_option(std::string_view spec, std::string_view option) {
  return {ErrorCode::usage, "'" + std::string(option) + "' in '" + std::string(spec) + "': expected key=value"};
}

/// Appends "key=value" to a spec's options.
Status add_option(Spec& spec, std::string_view text, std::string_view whole) {
  const auto equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos || equals + 1 == text.size()) return bad_option(whole, text);
  std::string key(text.substr(0, equals));
  for (const auto& option : spec.options)
    if (option.first == key)
      return Error{ErrorCode::usage, "'" + key + "' is given twice in '" + std::string(whole) + "'"};
  spec.options.emplace_back(std::move(key), text.substr(equals + 1));
  return Ok{};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const auto end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

Status check_range(std::string_view format, std::string_view key, std::uint32_t number, std::string_view expected,
                   std::uint32_t least, std::uint32_t most) {
  if (number >= least && number <= most) return Ok{};
  std::string text(format);
  text.append(": ").append(key).append("=" + std::to_string(number)).append(": expected ").append(expected);
  text += most < std::numeric_limits<std::uint32_t>::max() ? std::to_string(least) + " to " + std::to_string(most)
                                                           : "at least " + std::to_string(least);
  return Error{ErrorCode::usage, std::move(text)};
}

}  // namespace

std::size_t add_once(std::vector<Spec>& specs, const Spec& spec) {
  const auto is_same = [text = spec.text()](const Spec& other) { return other.text() == text; };
  const auto place = static_cast<std::size_t>(std::find_if(specs.begin(), specs.end(), is_same) - specs.begin());
  if (place == specs.size()) specs.push_back(spec);
  return place;
}

Status check_range(std::string_view format, std::string_view key, std::uint32_t number, std::uint32_t least,
                   std::uint32_t most) {
  return check_range(format, key, number, "", least, most);
}

Status check_range(std::string_view format, std::string_view key, const AutoNumber& number, std::uint32_t least,
                   std::uint32_t most) {
  return number ? check_range(format, key, *number, "auto or ", least, most) : Ok{};
}

void detail::ParamReader::complain_of_name(std::string_view key, std::string_view text,
                                           const std::vector<std::string>& choices) {
  std::string wanted;
  for (const std::string& choice : choices) wanted += (wanted.empty() ? "one of " : ", ") + choice;
  if (const std::string proposal = did_you_mean(text, choices); !proposal.empty()) wanted += "; " + proposal;
  complain(key, text, wanted);
}

Error detail::unknown_parameter(const Spec& spec, std::size_t i, const std::vector<OptionText>& known) {
  const std::string problem = spec.name + " has no parameter '" + spec.options[i].first + "'";
  if (known.empty()) return {ErrorCode::usage, problem + "; it takes none"};
  std::vector<std::string> keys;
  for (const OptionText& option : known) keys.push_back(option.key);
  return {ErrorCode::usage, with_choices(problem, spec.options[i].first, "it takes", keys)};
}

std::string Spec::parameters() const {
  std::string out;
  for (const auto& [key, value] : options) out += (out.empty() ? "" : ",") + key + "=" + value;
  return out;
}

std::string Spec::text() const { return options.empty() ? name : name + ":" + parameters(); }

Result<Spec> parse_spec(std::string_view text) {
  const auto colon = text.find(':');
  Spec spec{std::string(text.substr(0, colon)), {}};
  if (spec.name.empty())
    return Error{ErrorCode::usage, "'" + std::string(text) + "': expected NAME or NAME:key=value,..."};
  if (colon == std::string_view::npos) return spec;
  for (auto option : split(text.substr(colon + 1), ',')) SPRESS_CHECK(add_option(spec, option, text));
  return spec;
}

Result<std::vector<Spec>> parse_spec_list(std::string_view text) {
  std::vector<Spec> specs;
  for (auto item : split(text, ',')) {
    const bool begins = item.find(':') != std::string_view::npos || item.find('=') == std::string_view::npos;
    if (begins) {
      SPRESS_TRY(auto spec, parse_spec(item));
      specs.push_back(std::move(spec));
    } else {
      if (specs.empty()) return bad_option(text, item);
      SPRESS_CHECK(add_option(specs.back(), item, text));
    }
  }
  return specs;
}

}  // namespace spress
