#include "formats/values/store_names.hpp"

#include "formats/core/names.hpp"

namespace spress {

std::vector<std::string> store_choices() {
  std::vector<std::string> choices = {"auto"};
  for (const StoreKind kind : all_stores) choices.emplace_back(enum_name(kind));
  return choices;
}

Result<std::optional<StoreKind>> parse_store(const std::string& text) {
  if (text == "auto") return std::optional<StoreKind>();
  if (const auto kind = enum_named<StoreKind>(text)) return kind;
  return unknown_name("value store", text, store_choices());
}

}  // namespace spress
