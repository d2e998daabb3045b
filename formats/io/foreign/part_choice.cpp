#include "formats/io/foreign/part_choice.hpp"

#include <utility>

#include "formats/io/bytes/listed.hpp"
#include "formats/io/entries/numbers.hpp"

namespace spress::io {
namespace {

std::string list_of(std::vector<std::string> names) {
  for (std::string& name : names) name = printable(name);
  return listed(names);
}

}  // namespace

bool PartChoice::offer(const std::string& name, Claim claim, std::string_view also_named) {
  names_.push_back(name);
  if (!part_.empty()) {
    const bool named = name == part_ || (!also_named.empty() && also_named == part_);
    if (!named || (found_ && best_ == part_)) return false;
    best_ = name;
    return found_ = true;
  }
  if (claim < claim_) return false;
  if (claim == claim_) {
    ++rivals_;
    return false;
  }
  claim_ = claim;
  rivals_ = 0;
  best_ = name;
  return found_ = true;
}

void PartChoice::pass_over(const std::string& name) { others_.push_back(name); }

Result<std::string> PartChoice::chosen() const {
  if (names_.empty())
    return Error{ErrorCode::unsupported,
                 "holds no matrix" + (others_.empty() ? std::string() : "; it holds " + list_of(others_))};
  if (!found_)
    return Error{ErrorCode::usage, "has no matrix called '" + printable(part_) + "'; --part can be " + list_of(names_)};
  if (rivals_ > 0) return Error{ErrorCode::usage, "holds several matrices; name one with --part: " + list_of(names_)};
  return best_;
}

}  // namespace spress::io
