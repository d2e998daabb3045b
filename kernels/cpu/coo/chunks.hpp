// Products by chunks: pieces of consecutive entries that may begin and end inside a row. The sums come out the same for
// any number of threads, since the part of a row that lies in one chunk is summed by one thread, and these parts are
// added in the order of the chunks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/cpu/shared/row_pieces.hpp"
#include "kernels/cpu/simd/target.hpp"

SPRESS_KERNELS_BEGIN

/// y of a matrix of `chunks` chunks, of which chunk h begins in row first_row(h).
/// sum_chunks(first, last, sums) puts into sums[h] what chunk h, first <= h < last, holds of that row, and stores y for
/// every row behind it up to the row in which the next chunk begins (the last row of the matrix for the last chunk):
/// what the chunk holds of the row, 0 if that is nothing. So every row is stored once, and what other chunks hold of it
/// is then added to it. Scratch: one number per chunk, kept by the calling thread for its next product until it ends,
/// as long as its largest matrix took.
template <class T, class FirstRow, class SumChunks>
void multiply_chunk_pieces(std::uint64_t chunks, std::uint64_t rows, int threads, T* y, FirstRow&& first_row,
                           SumChunks&& sum_chunks) {
  std::fill_n(y, chunks == 0 ? rows : first_row(0) + std::uint64_t{1}, T(0));
  thread_local std::vector<T> scratch;
  if (scratch.size() < chunks) scratch.resize(chunks);
  T* first_sums = scratch.data();
  const auto parts = static_cast<std::uint64_t>(thread_count(threads));
#pragma omp parallel for num_threads(static_cast <int>(parts)) schedule(static, 1)
  for (std::uint64_t part = 0; part < parts; ++part) {
    const std::uint64_t first = chunks / parts * part + std::min(chunks % parts, part);
    sum_chunks(first, first + chunks / parts + (part < chunks % parts ? 1 : 0), first_sums);
  }
  for (std::uint64_t h = 0; h < chunks; ++h) y[first_row(h)] += first_sums[h];
}

/// The same by sum_chunk(h), which returns what chunk h holds of the row in which it begins.
template <class T, class FirstRow, class SumChunk>
void multiply_chunks(std::uint64_t chunks, std::uint64_t rows, int threads, T* y, FirstRow&& first_row,
                     SumChunk&& sum_chunk) {
  multiply_chunk_pieces(chunks, rows, threads, y, first_row,
                        [&](std::uint64_t first, std::uint64_t last, T* first_sums) {
                          for (std::uint64_t h = first; h < last; ++h) first_sums[h] = sum_chunk(h);
                        });
}

/// What sum_chunk of multiply_chunks does where entries know their rows: entries [k, last) with rows row_of(k), never
/// falling, and products term(k). `until`: the last row to store. Requires: k < last.
template <class T, class RowOf, class Term>
T sum_rows(std::uint64_t k, std::uint64_t last, std::uint64_t until, T* y, RowOf&& row_of, Term&& term) {
  const auto sum_row = [&](std::uint64_t row) {
    // Four sums, so that no product waits for the one before; rows never fall, so that one comparison tells of four.
    T sums[4] = {};
    for (; last - k >= 4 && row_of(k + 3) == row; k += 4)
      for (std::uint64_t i = 0; i < 4; ++i) sums[i] += term(k + i);
    for (; k < last && row_of(k) == row; ++k) sums[0] += term(k);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  };
  std::uint64_t row = row_of(k);
  const T first_sum = sum_row(row);
  while (k < last) {
    const std::uint64_t next = row_of(k);
    std::fill(y + row + 1, y + next, T(0));
    y[next] = sum_row(next);
    row = next;
  }
  std::fill(y + row + 1, y + until + 1, T(0));
  return first_sum;
}

SPRESS_KERNELS_END
