// What the encoders of padded layouts share: they differ only in where the stretches of a row stand.
#pragma once

#include <algorithm>
#include <type_traits>

#include "encode/shared/rows.hpp"
#include "formats/padded/stretch.hpp"

namespace spress {

namespace detail {

/// Entries of the matrix that a stretch holds.
struct EntryRange {
  std::uint64_t first, count;
};
template <class Position>
EntryRange entries_of(const Stretch& s, std::uint64_t rows, const Position* row_ptr) {
  if (s.row >= rows) return {0, 0};
  const std::uint64_t first = row_ptr[s.row] + s.skip, last = row_ptr[s.row + 1];
  return first < last ? EntryRange{first, std::min<std::uint64_t>(last - first, s.width)} : EntryRange{0, 0};
}

/// Calls use(s, entries) in parallel for the stretches stretch_of(0..count-1) of a matrix.
template <class StretchOf, class Position, class Use>
void for_each_stretch(std::uint64_t count, StretchOf& stretch_of, std::uint64_t rows, const Position* row_ptr,
                      Use&& use) {
  // Neighbouring stretches often fill the same cache lines: they stay with one thread.
#pragma omp parallel for schedule(static)
  for (std::uint64_t i = 0; i < count; ++i) {
    const Stretch s = stretch_of(i);
    use(s, entries_of(s, rows, row_ptr));
  }
}

}  // namespace detail

/// Puts columns and value codes of `a` into the slots of stretch_of(0..count-1), and padding into the rest of them.
/// Requires: out.col_idx and out.values have their sizes, the stretches fill them and do not overlap.
template <class Format, class StretchOf>
void fill_stretches(Format& out, const Csr<Viewed>& a, std::uint64_t count, StretchOf stretch_of) {
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    const auto fill = [&](auto* to, const auto* from, auto padding) {
      detail::for_each_stretch(count, stretch_of, a.rows, row_ptr, [&](const Stretch& s, detail::EntryRange entries) {
        for_each_slot(s, [&](std::uint64_t k, std::uint64_t slot) {
          to[slot] = k < entries.count ? from[entries.first + k] : padding;
        });
      });
    };
    fill(out.col_idx.data(), a.col_idx.data(), no_column);
    permute_codes(out.values, a.values,
                  [&](auto* to, const auto* from) { fill(to, from, std::remove_pointer_t<decltype(to)>{}); });
  });
}

/// Takes columns and value codes out of the slots of stretch_of(0..count-1): undoes fill_stretches.
/// Requires: out.row_ptr is filled in.
template <class Format, class StretchOf>
void gather_stretches(Csr<Owned>& out, const Format& f, std::uint64_t count, StretchOf stretch_of) {
  out.col_idx = HostArray<std::uint32_t>(f.nnz);
  out.values = empty_like(f.values, f.nnz);
  with_positions(out.row_ptr, [&](const auto* row_ptr) {
    const auto gather = [&](auto* to, const auto* from) {
      detail::for_each_stretch(count, stretch_of, f.rows, row_ptr, [&](const Stretch& s, detail::EntryRange entries) {
        for (std::uint64_t k = 0; k < entries.count; ++k) to[entries.first + k] = from[s.slot(k)];
      });
    };
    gather(out.col_idx.data(), f.col_idx.data());
    permute_codes(out.values, f.values, gather);
  });
}

/// Writes the number of entries in stretch_of(0..count-1) to lengths[row]. Requires: no row has two of them.
template <class Format, class StretchOf, class Position>
void count_filled(const Format& f, std::uint64_t count, StretchOf stretch_of, Position* lengths) {
#pragma omp parallel for schedule(static)
  for (std::uint64_t i = 0; i < count; ++i)
    if (const Stretch s = stretch_of(i); s.row < f.rows)
      lengths[s.row] = static_cast<Position>(filled(f.col_idx.data(), s));
}

/// The matrix of a format in which every row has one stretch.
template <class Format, class StretchOf>
[[nodiscard]] Csr<Owned> decode_stretches(const Format& f, std::uint64_t count, StretchOf stretch_of) {
  Csr<Owned> out;
  copy_shape(out, f);
  out.row_ptr = row_ptr_of(f, [&](auto* lengths) { count_filled(f, count, stretch_of, lengths); });
  gather_stretches(out, f, count, stretch_of);
  return out;
}

}  // namespace spress
