#include "formats/core/result.hpp"

namespace spress {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage: return "usage";
    case ErrorCode::not_found: return "not_found";
    case ErrorCode::unreadable: return "unreadable";
    case ErrorCode::unwritable: return "unwritable";
    case ErrorCode::syntax: return "syntax";
    case ErrorCode::out_of_range: return "out_of_range";
    case ErrorCode::truncated: return "truncated";
    case ErrorCode::damaged: return "damaged";
    case ErrorCode::not_representable: return "not_representable";
    case ErrorCode::not_applicable: return "not_applicable";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::too_large: return "too_large";
  }
  return "unknown";
}

Error out_of_memory() { return {ErrorCode::too_large, "needs more memory than there is"}; }

std::string Error::text() const {
  std::string out = file;
  if (line != 0) out += (out.empty() ? "line " : ":") + std::to_string(line);
  if (!out.empty()) out += ": ";
  return out + message;
}

}  // namespace spress
