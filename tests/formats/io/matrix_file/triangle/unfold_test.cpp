#include "formats/io/matrix_file/triangle/unfold.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "formats/io/matrix_file/triangle/direct.hpp"
#include "formats/io/matrix_file/triangle/sorted.hpp"
#include "tests/formats/io/matrix_file/matrix_samples.hpp"

namespace spress::io {
namespace {

using samples::Places;

/// The lower triangle of a matrix.
LowerTriangle lower_of(const Csr<Owned>& a, Fold fold) {
  const std::size_t width = size_of(a.values.type);
  const auto* values = static_cast<const std::uint8_t*>(a.values.codes.raw());
  std::vector<std::uint32_t> lengths(a.rows), columns;
  std::vector<std::uint8_t> below, mirrored;
  const auto add = [&](std::vector<std::uint8_t>& to, std::uint64_t k) {
    to.insert(to.end(), values + k * width, values + (k + 1) * width);
  };
  for (std::uint64_t r = 0; r < a.rows; ++r)
    for (std::uint64_t k = a.row_ptr.position(r); k < a.row_ptr.position(r + 1) && a.col_idx[k] <= r; ++k) {
      ++lengths[r];
      columns.push_back(a.col_idx[k]);
      add(below, k);
      if (fold != Fold::pattern) continue;
      const auto* row = a.col_idx.data() + a.row_ptr.position(a.col_idx[k]);
      const auto* end = a.col_idx.data() + a.row_ptr.position(a.col_idx[k] + 1);
      add(mirrored, static_cast<std::uint64_t>(std::lower_bound(row, end, r) - a.col_idx.data()));
    }
  const auto array = []<class E>(const std::vector<E>& from) {
    HostArray<E> to(from.size());
    std::copy(from.begin(), from.end(), to.data());
    return to;
  };
  return {a.rows, array(lengths), array(columns), array(below), array(mirrored)};
}

/// Entries on both sides of the diagonal.
void add_both(Places& places, std::uint32_t r, std::uint32_t c) {
  places.emplace(r, c);
  places.emplace(c, r);
}

/// Patterns with rows of all lengths: empty ones, one of thousands, a column that all rows have, and anything between.
std::vector<samples::Scenario> patterns() {
  std::vector<samples::Scenario> all = {{"none", 0, 0, {}}, {"empty", 5, 5, {}}, {"one", 1, 1, {{0, 0}}}};
  all.push_back({"mesh", 230, 230, samples::symmetric_places(230, 3)});
  all.push_back({"grid", 900, 900, samples::shuffled_grid(30)});
  Places band, last_row, first_column, ends;
  for (std::uint32_t r = 0; r < 3000; ++r) {
    if (r > 900 && r < 1200) continue;
    for (std::uint32_t back = 0; back <= std::min(r, r % 12); ++back) add_both(band, r, r - back);
    add_both(last_row, 2999, r);
    add_both(first_column, r, 0);
    if (r >= 2) add_both(first_column, r, r - 2);
  }
  for (std::uint32_t r = 0; r < 40; ++r) add_both(ends, 3999 - r, r);
  all.push_back({"band", 3000, 3000, band});
  all.push_back({"last row", 3000, 3000, last_row});
  all.push_back({"first column", 3000, 3000, first_column});
  all.push_back({"ends", 4000, 4000, ends});
  return all;
}

template <class V>
Csr<Owned> room_for(const Csr<Owned>& a) {
  Csr<Owned> out;
  out.rows = out.cols = a.rows;
  out.nnz = a.nnz;
  out.row_ptr = Positions<Owned>(position_type(a.nnz), a.rows + 1);
  out.col_idx = HostArray<std::uint32_t>(a.nnz);
  std::fill_n(out.col_idx.data(), a.nnz, ~0u);
  out.values = uninitialised_raw_store(a.values.type, a.nnz);
  std::fill_n(out.values.codes.memory.data(), out.values.codes.memory.size(), std::uint8_t{0xA5});
  return out;
}

template <class V>
Whole<V> whole_of(Csr<Owned>& a) {
  return {a.col_idx.data(), reinterpret_cast<V*>(a.values.codes.memory.data())};
}

template <class V>
void expect_unfolded(const Csr<Owned>& a, Fold fold, int threads) {
  const LowerTriangle lower = lower_of(a, fold);
  const LowerRows rows(lower, fold, threads);
  DirectUnfolding direct(rows, threads);
  ASSERT_EQ(direct.count(), a.nnz);
  Csr<Owned> out = room_for<V>(a);
  direct.place(out.row_ptr.template as<std::uint32_t>());
  direct.fill(out.row_ptr.template as<std::uint32_t>(), whole_of<V>(out));
  EXPECT_TRUE(identical(out, a)) << "direct";
  if (a.rows == 0) return;
  for (const std::uint64_t range : {50, 1000, 1000000}) {
    SortedUnfolding sorted(rows, threads, range);
    ASSERT_EQ(sorted.entries(), a.nnz);
    out = room_for<V>(a);
    sorted.fill(whole_of<V>(out));
    out.row_ptr = positions_of(sorted.lengths(), a.nnz, threads);
    EXPECT_TRUE(identical(out, a)) << "sorted by ranges of " << range;
  }
}

TEST(Unfold, BothWaysGiveTheMatrixOnAnyNumberOfThreads) {
  for (const auto& pattern : patterns())
    for (const int threads : {1, 2, 3, 7}) {
      SCOPED_TRACE(pattern.name + " on " + std::to_string(threads));
      expect_unfolded<NoValue>(samples::csr_of(pattern, pattern_store(pattern.places.size())), Fold::symmetric,
                               threads);
      for (const Fold fold : {Fold::symmetric, Fold::skew, Fold::pattern})
        expect_unfolded<double>(samples::with_fold<double>(pattern, fold), fold, threads);
      expect_unfolded<std::complex<double>>(samples::with_fold<std::complex<double>>(pattern, Fold::hermitian),
                                            Fold::hermitian, threads);
    }
}

TEST(Unfold, PartsReachOverFewRows) {
  for (const auto& pattern : patterns()) {
    const LowerTriangle lower =
        lower_of(samples::csr_of(pattern, pattern_store(pattern.places.size())), Fold::symmetric);
    const LowerRows rows(lower, Fold::symmetric, 1);
    for (const int threads : {1, 2, 3, 7, 16, 64}) {
      SCOPED_TRACE(pattern.name + " on " + std::to_string(threads));
      const auto parts = row_parts(rows.begins(), rows.size(), rows.columns(), threads);
      ASSERT_FALSE(parts.empty());
      EXPECT_LE(parts.size(), static_cast<std::size_t>(threads));
      if (pattern.name == "band") {
        EXPECT_EQ(parts.size(), static_cast<std::size_t>(threads));
      }
      std::uint64_t row = 0, reached = 0;
      for (const RowPart& part : parts) {
        EXPECT_EQ(part.first, row);
        row = part.last;
        reached += part.last - part.least;
        for (std::uint64_t r = part.first; r < part.last; ++r) {
          EXPECT_LE(part.least, r);
          if (rows.length(r) != 0) {
            EXPECT_LE(part.least, rows.columns()[rows.begin(r)]);
          }
        }
      }
      EXPECT_EQ(row, rows.size());
      EXPECT_LE(reached, 4 * rows.size());
    }
  }
}

TEST(Unfold, AnotherNumberOfEntriesIsDamage) {
  const samples::Scenario mesh = {"mesh", 230, 230, samples::symmetric_places(230, 3)};
  const Csr<Owned> a = samples::with_fold<double>(mesh, Fold::symmetric);
  const LowerTriangle lower = lower_of(a, Fold::symmetric);
  EXPECT_TRUE(unfold(lower, Fold::symmetric, ValueType::f64, a.nnz, 1).ok());
  for (const std::uint64_t nnz : {a.nnz - 1, a.nnz + 1})
    EXPECT_FALSE(unfold(lower, Fold::symmetric, ValueType::f64, nnz, 1).ok());
}

}  // namespace
}  // namespace spress::io
