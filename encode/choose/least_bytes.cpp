#include "encode/choose/least_bytes.hpp"

#include <algorithm>

#include "encode/shared/codec.hpp"
#include "encode/shared/common.hpp"
#include "encode/shared/stretches.hpp"
#include "formats/core/each_index.hpp"

namespace spress {
namespace {

/// By the arrays that a format declares: those of these names hold a number for each entry or for each row.
template <template <class> class F>
std::uint64_t of_shape(const Csr<Viewed>& a) {
  std::uint64_t bytes = 0;
  if constexpr (requires(F<Owned> f) { f.row_ptr; }) bytes += position_bytes(a.rows + 1, a.nnz);
  if constexpr (requires(F<Owned> f) { f.row_idx; }) bytes += a.nnz * sizeof(*F<Owned>{}.row_idx.data());
  if constexpr (requires(F<Owned> f) { f.col_idx; }) bytes += a.nnz * sizeof(*F<Owned>{}.col_idx.data());
  return bytes;
}

constexpr std::uint64_t round_up(std::uint64_t n, std::uint64_t to) { return slice_count(n, to) * to; }

/// The blocks of an Amb as wide as they can be, and the rows that have any.
struct BlocksOfRows {
  std::uint64_t blocks = 0, rows = 0;
  void operator+=(const BlocksOfRows& other) {
    blocks += other.blocks;
    rows += other.rows;
  }
};
BlocksOfRows widest_blocks(const Csr<Viewed>& a) {
  return with_positions(a.row_ptr, [&](const auto* row_ptr) {
    return sum_over<BlocksOfRows>(a.rows, threads_worth(0, 4 * a.nnz), [&](std::uint64_t r) {
      BlocksOfRows of_row{0, row_ptr[r] < row_ptr[r + 1] ? 1u : 0u};
      std::uint64_t covered = 0;
      for (std::uint64_t k = row_ptr[r]; k < row_ptr[r + 1]; ++k) {
        if (a.col_idx[k] < covered) continue;
        covered = std::uint64_t{a.col_idx[k]} + Amb<Owned>::largest_block;
        ++of_row.blocks;
      }
      return of_row;
    });
  });
}

/// Sets what is known of columns, and of padding if that is asked for.
template <template <class> class F>
struct ByLayout {
  static void set(const Csr<Viewed>&, const ParamsOf<F>&, bool, LeastBytes&) {}
};
template <>
struct ByLayout<Amb> {
  /// Ids of blocks, and a permutation; of the rows in chunks at least one is the longest.
  static void set(const Csr<Viewed>& a, const Amb<Owned>::Params&, bool padded, LeastBytes& out) {
    constexpr std::uint64_t lanes = Amb<Owned>::lanes;
    const BlocksOfRows found = widest_blocks(a);
    out.columns = 2 * (found.blocks + found.rows);
    if (!padded || found.rows == 0) return;
    const std::uint64_t chunks = slice_count(found.rows, lanes), longest = longest_row(a);
    const std::uint64_t steps = (longest + Amb<Owned>::largest_block - 1) / Amb<Owned>::largest_block;
    const std::uint64_t block_slots = std::max(round_up(found.blocks, lanes), lanes * steps);
    out.padded_slots = std::max(round_up(a.nnz, lanes), lanes * longest);
    out.padded_index = position_bytes(chunks + 1, block_slots) + (4 + 2 + 2 * lanes) * chunks + 2 * block_slots;
  }
};
template <>
struct ByLayout<Sell> {
  static void set(const Csr<Viewed>& a, const Sell<Owned>::Params& params, bool padded, LeastBytes& out) {
    if (!padded || params.c == 0) return;  // which estimates refuse
    out.padded_slots = std::max(round_up(a.nnz, params.c), params.c * longest_row(a));
    out.padded_index = position_bytes(slice_count(a.rows, params.c) + 1, out.padded_slots) + 4 * out.padded_slots;
  }
};
template <>
struct ByLayout<SliceDelta> {
  /// A head, steps, and what aligns them, once.
  static void set(const Csr<Viewed>& a, const SliceDelta<Owned>::Params&, bool padded, LeastBytes& out) {
    if (!padded || a.nnz == 0) return;
    const std::uint64_t slices = slice_count(a.rows, slice_rows);
    out.padded_slots = a.nnz;
    out.padded_index = 4 * slices + position_bytes(slices + 1, a.nnz) + position_bytes(slices + 1, 0) + 32;
  }
};

template <template <class> class F>
LeastBytes least_bytes_of(const Csr<Viewed>& a, const Csr<Viewed>& sample, const ParamsOf<F>& params) {
  LeastBytes out{of_shape<F>(a)};
  ByLayout<F>::set(sample, params, sample.nnz == a.nnz, out);
  out.marks_slots = requires(F<Owned> f) { f.present; };
  return out;
}

}  // namespace

LeastBytes least_bytes(const Csr<Viewed>& a, const Csr<Viewed>& sample, const Spec& spec) {
  LeastBytes out;
  with_format(spec.name, [&]<template <class> class F>(Tag<F>) {
    if (spec.options.empty())
      out = least_bytes_of<F>(a, sample, ParamsOf<F>{});
    else if (const auto params = parse_params<ParamsOf<F>>(spec); params.ok())
      out = least_bytes_of<F>(a, sample, *params);
  });
  return out;
}

}  // namespace spress
