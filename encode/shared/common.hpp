// What several encoders share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "formats/core/threads.hpp"
#include "formats/csr/csr.hpp"

namespace spress {

template <class T>
[[nodiscard]] HostArray<T> copy_array(const View<T>& source) {
  HostArray<T> copy(source.size());
  parallel_copy(copy.raw(), source.raw(), source.bytes());
  return copy;
}

/// A copy of a store's codes and table in the same order.
[[nodiscard]] inline ValueStore<Owned> copy_store(const ValueStore<Viewed>& source) {
  ValueStore<Owned> copy = empty_like(source, source.count);
  parallel_copy(copy.codes.raw(), source.codes.raw(), source.codes.bytes());
  return copy;
}

/// Bytes of `count` positions of which the largest is `largest`.
[[nodiscard]] constexpr std::uint64_t position_bytes(std::uint64_t count, std::uint64_t largest) {
  return count * (position_type(largest) == DType::u32 ? 4 : 8);
}

/// Room for `count` positions up to `largest`, uninitialised.
[[nodiscard]] inline Positions<Owned> make_positions(std::uint64_t count, std::uint64_t largest) {
  return Positions<Owned>(position_type(largest), count);
}

/// Positions that never fall, from 64-bit ones. Requires: not empty.
[[nodiscard]] inline Positions<Owned> make_positions(const std::vector<std::uint64_t>& source) {
  Positions<Owned> out = make_positions(source.size(), source.back());
  fill_positions(out, [&]<class Position>(Position* to) {
    std::transform(source.begin(), source.end(), to, [](std::uint64_t p) { return static_cast<Position>(p); });
  });
  return out;
}

/// Sets shape and entry count of any format from another.
template <class To, class From>
void copy_shape(To& to, const From& from) {
  to.rows = from.rows;
  to.cols = from.cols;
  to.nnz = from.nnz;
}

/// The index arrays of a CSR, without its values.
[[nodiscard]] inline Csr<Owned> copy_pattern(const Csr<Viewed>& a) {
  Csr<Owned> out;
  copy_shape(out, a);
  out.row_ptr = Positions<Owned>(a.row_ptr.dtype(), a.row_ptr.size());
  parallel_copy(out.row_ptr.raw(), a.row_ptr.raw(), a.row_ptr.bytes());
  out.col_idx = copy_array(a.col_idx);
  return out;
}

}  // namespace spress
