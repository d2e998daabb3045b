#include "encode/least_bytes.hpp"

#include "encode/codec.hpp"
#include "encode/common.hpp"
#include "encode/value_frames.hpp"
#include "formats/each_index.hpp"

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

template <template <class> class F>
std::uint64_t of_columns(const Csr<Viewed>&) {
  return 0;
}
/// Ids of blocks as wide as they can be, and a permutation.
template <>
std::uint64_t of_columns<Amb>(const Csr<Viewed>& a) {
  const std::uint64_t ids = with_positions(a.row_ptr, [&](const auto* row_ptr) {
    return sum_over<std::uint64_t>(a.rows, threads_worth(0, 4 * a.nnz), [&](std::uint64_t r) {
      std::uint64_t of_row = row_ptr[r] < row_ptr[r + 1] ? 1 : 0;  // in the permutation
      std::uint64_t covered = 0;
      for (std::uint64_t k = row_ptr[r]; k < row_ptr[r + 1]; ++k) {
        if (a.col_idx[k] < covered) continue;
        covered = std::uint64_t{a.col_idx[k]} + Amb<Owned>::largest_block;
        ++of_row;
      }
      return of_row;
    });
  });
  return 2 * ids;
}

double framed_bytes(const ValueStore<Viewed>& values, SliceValues how) {
  if (values.kind != StoreKind::raw || values.type != ValueType::f64) return 0;  // not framed, or refused
  return least_frame_bytes({reinterpret_cast<const std::uint64_t*>(values.codes.memory.data()), values.count},
                           how == SliceValues::decimal);
}

template <template <class> class F>
LeastBytes least_bytes_of(const Csr<Viewed>& a, const Csr<Viewed>& sample, const ParamsOf<F>& params) {
  LeastBytes out{of_shape<F>(a), of_columns<F>(sample)};
  out.marks_slots = requires(F<Owned> f) { f.present; };
  if constexpr (requires { params.values; })
    if (params.values != ParamsOf<F>{}.values) out.values = framed_bytes(sample.values, params.values);
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
