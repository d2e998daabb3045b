// How CPU kernels share work: contiguous pieces of about equal cost, one per thread, cut where no two threads write the
// same row, or between fixed parts of a long one. The cuts depend on the number of threads, the sums of a row never do.
#pragma once

#include <omp.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "formats/core/array.hpp"
#include "formats/core/threads.hpp"

namespace spress::cpu {

/// First item of piece `part` of `parts` when items 0..n-1 have cumulated costs cost[0..n] (never falling).
template <class Cost>
[[nodiscard]] std::uint64_t balanced_cut(const Cost* cost, std::uint64_t n, int part, int parts) {
  if (part <= 0) return 0;
  if (part >= parts) return n;
  const auto total = static_cast<double>(cost[n] - cost[0]);
  const auto wanted = cost[0] + static_cast<Cost>(total * part / parts);
  return static_cast<std::uint64_t>(std::lower_bound(cost, cost + n, wanted) - cost);
}

/// First item of piece `part` of `parts` when items first..last-1 have cumulated costs cost[first..last].
[[nodiscard]] inline std::uint64_t balanced_cut(const Positions<Viewed>& cost, std::uint64_t first, std::uint64_t last,
                                                int part, int parts) {
  return first +
         with_positions(cost, [&](const auto* p) { return balanced_cut(p + first, last - first, part, parts); });
}

/// Runs work(first, last) for contiguous pieces of 0..n-1 balanced by cost[0..n]. A kernel that reads positions once
/// per many entries takes them from `cost` by position(), so that it is compiled once for both widths.
template <class Work>
void for_balanced_pieces(const Positions<Viewed>& cost, std::uint64_t n, int threads, Work&& work) {
  const int parts = thread_count(threads);
#pragma omp parallel for num_threads(parts) schedule(static, 1)
  for (int part = 0; part < parts; ++part)
    work(balanced_cut(cost, 0, n, part, parts), balanced_cut(cost, 0, n, part + 1, parts));
}

/// Runs work(first, last) for contiguous pieces of 0..n-1, each cut moved forward to the next item that begins a row:
/// begins(k) is true where item k and item k-1 belong to different rows.
template <class Begins, class Work>
void for_row_aligned_pieces(std::uint64_t n, int threads, Begins&& begins, Work&& work) {
  const int parts = thread_count(threads);
  const auto cut = [&](int part) {
    const auto p = static_cast<std::uint64_t>(part), all = static_cast<std::uint64_t>(parts);
    std::uint64_t k = n / all * p + n % all * p / all;  // n * p / all without overflow
    if (part == parts) return n;
    while (k > 0 && k < n && !begins(k)) ++k;
    return k;
  };
#pragma omp parallel for num_threads(parts) schedule(static, 1)
  for (int part = 0; part < parts; ++part) work(cut(part), cut(part + 1));
}

// --- Rows of which some may be long: these are cut too, between parts of row_part entries.
// ------------------------------

inline constexpr std::uint64_t row_part = std::uint64_t{1} << 14;

/// Parts of a row of n entries: every part has row_part entries, and the last one what is left besides.
[[nodiscard]] inline std::uint64_t row_parts(std::uint64_t n) { return std::max<std::uint64_t>(1, n / row_part); }
/// First entry of a part of the row that has entries [begin, end).
[[nodiscard]] inline std::uint64_t part_begin(std::uint64_t begin, std::uint64_t end, std::uint64_t part) {
  return part >= row_parts(end - begin) ? end : begin + part * row_part;
}

/// Before part `part` of row `row`; part 0: before the row.
struct RowCut {
  std::uint64_t row = 0, part = 0;
};

/// The beginning of piece `piece` of `pieces` when each row costs one more than its entries.
template <class Position>
[[nodiscard]] RowCut row_cut(const Position* row_ptr, std::uint64_t rows, int piece, int pieces) {
  if (piece <= 0 || rows == 0) return {};
  if (piece >= pieces) return {rows, 0};
  const std::uint64_t total = row_ptr[rows] + rows, parts = static_cast<std::uint64_t>(pieces);
  const std::uint64_t p = static_cast<std::uint64_t>(piece), wanted = total / parts * p + total % parts * p / parts;
  std::uint64_t row = 0;  // the last one that begins at or before `wanted`
  for (std::uint64_t step = std::bit_ceil(rows); step != 0; step /= 2)
    if (row + step < rows && row_ptr[row + step] + row + step <= wanted) row += step;
  const std::uint64_t n = row_ptr[row + 1] - row_ptr[row], within = wanted - (row_ptr[row] + row);
  if (row_parts(n) > 1) return {row, std::min(within / row_part, row_parts(n) - 1)};
  return {2 * within > n ? row + 1 : row, 0};
}

/// What threads leave for the rows that they share.
template <class T>
struct SharedRows {
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::uint64_t> cut_row;  // for each piece: the row within which it begins, or none
  std::vector<T> part_sums;            // part p of the row that begins at entry k: in k / row_part + p

  void prepare(std::uint64_t nnz, std::uint64_t pieces) {
    if (cut_row.size() < pieces) cut_row.resize(pieces);
    if (part_sums.size() < nnz / row_part) part_sums.resize(nnz / row_part);
  }
};

/// Sums parts [from, to) of the row that has entries [begin, end).
template <class T, class SumPart>
void sum_shared_row(std::uint64_t begin, std::uint64_t end, std::uint64_t from, std::uint64_t to, SharedRows<T>& shared,
                    SumPart& sum_part) {
  for (std::uint64_t part = from; part < to; ++part)
    shared.part_sums[begin / row_part + part] =
        sum_part(part_begin(begin, end, part), part_begin(begin, end, part + 1));
}

/// One piece of for_row_pieces.
template <class Position, class T, class SumRows, class SumPart>
void sum_row_piece(const Position* row_ptr, std::uint64_t rows, int piece, int pieces, SharedRows<T>& shared,
                   SumRows& sum_rows, SumPart& sum_part) {
  const RowCut first = row_cut(row_ptr, rows, piece, pieces), last = row_cut(row_ptr, rows, piece + 1, pieces);
  const auto share = [&](std::uint64_t row, std::uint64_t from, std::uint64_t to) {
    sum_shared_row<T>(row_ptr[row], row_ptr[row + 1], from, to, shared, sum_part);
  };
  shared.cut_row[static_cast<std::size_t>(piece)] = first.part > 0 ? first.row : SharedRows<T>::none;
  if (first.part > 0 && first.row == last.row) return share(first.row, first.part, last.part);
  if (first.part > 0) share(first.row, first.part, row_parts(row_ptr[first.row + 1] - row_ptr[first.row]));
  if (const std::uint64_t begin = first.row + (first.part > 0 ? 1 : 0); begin < last.row) sum_rows(begin, last.row);
  if (last.part > 0) share(last.row, 0, last.part);
}

/// y for the rows of row_ptr, dealt to threads. sum_rows(first, last) stores y for rows [first, last), and sums a row
/// of more than one part by adding its parts in order; sum_part(begin, end) returns the sum of these entries of one
/// row. Scratch: one number per row_part entries, kept by the calling thread for its next product until it ends, as
/// long as its largest matrix took.
template <class Position, class T, class SumRows, class SumPart>
void for_row_pieces(const Position* row_ptr, std::uint64_t rows, int threads, T* y, SumRows&& sum_rows,
                    SumPart&& sum_part) {
  const int pieces = thread_count(threads);
  thread_local SharedRows<T> kept;
  SharedRows<T>& shared = kept;
  shared.prepare(row_ptr[rows], static_cast<std::uint64_t>(pieces));
#pragma omp parallel for num_threads(pieces) schedule(static, 1)
  for (int piece = 0; piece < pieces; ++piece) sum_row_piece(row_ptr, rows, piece, pieces, shared, sum_rows, sum_part);
  std::uint64_t done = SharedRows<T>::none;
  for (int piece = 1; piece < pieces; ++piece) {
    const std::uint64_t row = shared.cut_row[static_cast<std::size_t>(piece)];
    if (row == SharedRows<T>::none || row == done) continue;
    done = row;
    T sum = 0;
    for (std::uint64_t part = 0; part < row_parts(row_ptr[row + 1] - row_ptr[row]); ++part)
      sum += shared.part_sums[row_ptr[row] / row_part + part];
    y[row] = sum;
  }
}

}  // namespace spress::cpu
