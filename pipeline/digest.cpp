#include "pipeline/digest.hpp"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace spress::pipeline {

std::string digest_of(std::string_view text) { return fmt::format("{:016x}", XXH64(text.data(), text.size(), 0)); }

}  // namespace spress::pipeline
