// What a writer says of a matrix, and how it gets plain values.
#pragma once

#include <complex>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"
#include "formats/io/entries/symmetric_values.hpp"

namespace spress::io {

/// What the head of a file says.
struct Declaration {
  Field field;
  Symmetry symmetry = Symmetry::general;
  std::uint64_t entries;  ///< of the lower triangle where there is a symmetry
};

/// Declares info.symmetry only where the entries really have it, bit for bit, and integers only where all values are
/// some, so that nothing is lost.
/// Requires: raw values, double or complex, or none.
[[nodiscard]] Declaration declare(const Csr<Viewed>& a, const MatrixInfo& info);

/// Calls write(a) with raw values, double or complex, or none. Memory that runs out is an error, and an error gets the
/// path.
[[nodiscard]] Status write_plain(const Csr<Viewed>& a, const std::filesystem::path& path,
                                 const std::function<Status(const Csr<Viewed>&)>& write);

/// The value of entry k; NoValue for patterns.
template <class V>
[[nodiscard]] V value_at([[maybe_unused]] const V* values, [[maybe_unused]] std::uint64_t k) {
  if constexpr (std::is_same_v<V, NoValue>)
    return {};
  else
    return values[k];
}

}  // namespace spress::io
