// What a candidate of the chooser really takes.
#pragma once

#include <cstdint>

#include "encode/choose/choose.hpp"
#include "encode/shared/any.hpp"

namespace spress::tests {

/// Bytes of the matrix once it is encoded as `c` says. Requires: it can be.
inline std::uint64_t built_bytes(const Csr<Viewed>& a, const Candidate& c) {
  const auto stored = with_values(a, c.values);
  const auto encoded = encode_any(view_of(*stored), c.format);
  std::uint64_t bytes = 0;
  with_any(*encoded, [&](const auto& f) { bytes = byte_totals(f).total(); });
  return bytes;
}

}  // namespace spress::tests
