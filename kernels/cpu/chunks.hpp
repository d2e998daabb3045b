// Products by chunks: pieces of consecutive entries that may begin and end inside a row. The sums come out the same for
// any number of threads, since the part of a row that lies in one chunk is summed by one thread, and these parts are
// added in the order of the chunks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/cpu/parallel.hpp"
#include "kernels/cpu/target.hpp"

SPRESS_KERNELS_BEGIN

/// y of a matrix of `chunks` chunks, of which chunk h begins in row first_row(h).
/// sum_chunk(h) returns the sum of what chunk h holds of that row, and stores y for every row behind it up to the row
/// in which the next chunk begins (the last row of the matrix for the last chunk): what the chunk holds of the row, 0
/// if that is nothing. So every row is stored once, and what other chunks hold of it is then added to it. Scratch: one
/// number per chunk, kept by the calling thread for its next product.
template <class T, class FirstRow, class SumChunk>
void multiply_chunks(std::uint64_t chunks, std::uint64_t rows, int threads, T* y, FirstRow&& first_row,
                     SumChunk&& sum_chunk) {
  std::fill_n(y, chunks == 0 ? rows : first_row(0) + std::uint64_t{1}, T(0));
  thread_local std::vector<T> scratch;
  if (scratch.size() < chunks) scratch.resize(chunks);
  T* first_sums = scratch.data();
#pragma omp parallel for num_threads(thread_count(threads)) schedule(static)
  for (std::uint64_t h = 0; h < chunks; ++h) first_sums[h] = sum_chunk(h);
  for (std::uint64_t h = 0; h < chunks; ++h) y[first_row(h)] += first_sums[h];
}

/// What sum_chunk of multiply_chunks does where entries know their rows: entries [k, last) with rows row_of(k), never
/// falling, and products term(k). `until`: the last row to store. Requires: k < last.
template <class T, class RowOf, class Term>
T sum_rows(std::uint64_t k, std::uint64_t last, std::uint64_t until, T* y, RowOf&& row_of, Term&& term) {
  const auto sum_row = [&](std::uint64_t row) {
    T sum = 0;
    for (; k < last && row_of(k) == row; ++k) sum += term(k);
    return sum;
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
