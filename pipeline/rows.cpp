#include "pipeline/rows.hpp"

#include <limits>
#include <set>
#include <string>

#include "encode/any.hpp"

namespace spress::pipeline {

Result<std::vector<Spec>> formats_to_walk(const std::vector<Spec>& given) {
  if (given.empty()) return all_formats();
  std::set<std::string> seen;
  for (const Spec& spec : given) {
    SPRESS_CHECK(check_format(spec));
    if (!seen.insert(spec.text()).second)
      return Error{ErrorCode::usage, "the format '" + spec.text() + "' is given twice", {}, 0};
  }
  return given;
}

StoreKind smallest_store(const StoreBytes& bytes) {
  StoreKind best = StoreKind::raw;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t s = 0; s < all_stores.size(); ++s) {
    if (!bytes[s] || *bytes[s] >= least) continue;
    best = all_stores[s];
    least = *bytes[s];
  }
  return best;
}

}  // namespace spress::pipeline
