// When a loop is worth more than one thread. Internal.
#pragma once

#include <cstdint>

namespace spress::reorder {

/// Waking threads and waiting for them costs as much as walking some ten thousand entries, and much more on a busy
/// machine: small matrices stay on one.
[[nodiscard]] constexpr bool worth_threads(std::uint64_t entries) { return entries > 200000; }

}  // namespace spress::reorder
