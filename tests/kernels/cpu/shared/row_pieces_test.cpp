// Formats whose rows are summed by vectors: rows of all lengths, so that every way of summing one is taken.
#include "kernels/cpu/shared/row_pieces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "encode/shared/any.hpp"
#include "kernels/cpu/shared/row_sums.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/reference.hpp"
#include "tests/exact_isa.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

/// Row r has lengths[r] entries, `gap` columns apart and more at every fifth, beginning near the diagonal.
tests::Scenario rows_of(const std::vector<std::uint32_t>& lengths, std::uint32_t gap) {
  tests::Scenario s{"", lengths.size(), 0, {}, {}};
  std::uint32_t widest = 1;
  for (std::uint32_t r = 0; r < lengths.size(); ++r) {
    std::uint32_t column = r % 3 == 0 && r >= 60 ? r - 60 : r;  // left of the diagonal and on it
    for (std::uint32_t k = 0; k < lengths[r]; ++k) {
      s.entries.emplace_back(r, column);
      s.values.push_back(0.25 * static_cast<double>((7 * s.entries.size() + r) % 200) - 25);  // 200 different numbers
      widest = std::max(widest, column + 1);
      column += k % 5 == 4 ? 2 * gap : gap;
    }
  }
  s.cols = std::max<std::uint64_t>(widest, lengths.size());
  return s;
}

std::vector<std::uint32_t> repeated(std::vector<std::uint32_t> lengths, std::size_t times) {
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < times; ++i) out.insert(out.end(), lengths.begin(), lengths.end());
  return out;
}

/// What of a matrix decides how its rows are summed: how many entries most rows have, and whether some have far more.
std::vector<tests::Scenario> scenarios() {
  std::vector<std::uint32_t> all(70);
  for (std::uint32_t n = 0; n < all.size(); ++n) all[n] = n;
  auto mostly_3 = repeated({3, 4, 2, 3, 0, 1, 3}, 30);
  mostly_3[20] = 9;
  mostly_3[100] = 1100;
  auto mostly_7 = repeated({7, 8, 7, 6, 7, 5, 0}, 30);
  mostly_7[3] = 17;
  const auto part = static_cast<std::uint32_t>(cpu::row_part);
  return {rows_of(all, 1),
          rows_of(mostly_3, 3),
          rows_of(mostly_7, 127),
          rows_of(repeated({27}, 50), 255),
          rows_of(repeated({12, 13}, 20), 1000),
          rows_of({1023, 1024, 1025, 0, 2048, 5}, 2),
          rows_of({3, 2 * part - 1, 0, 2 * part, 4, 5 * part + 7, 1}, 1)};
}

std::vector<Spec> specs() {
  return {{"csr", {}},
          {"coo", {}},
          {"bcoo", {}},
          {"bcoo", {{"b", "10"}}},
          {"opt-csr", {{"index", "delta"}}},
          {"opt-csr", {{"index", "anchored"}}},
          {"opt-csr", {{"index", "diagonal"}}}};
}

template <class T>
std::vector<T> product(const AnyFormat& any, const std::vector<T>& x, std::size_t rows, int threads) {
  std::vector<T> y(rows, T(-77));
  with_any(any, [&](const auto& f) { cpu::spmv<T>(view_of(f), x.data(), y.data(), threads); });
  return y;
}

template <class T>
void check_format(const Csr<Owned>& a, const Spec& spec, const Reference& reference, const std::vector<T>& x) {
  const auto encoded = encode_any(view_of(a), spec);
  ASSERT_TRUE(encoded.ok()) << encoded.error().text();
  for (Isa wanted : available_isas()) {
    SCOPED_TRACE(spec.text() + " on " + std::string(enum_name(wanted)));
    const tests::ExactIsa exact(wanted);
    const auto alone = product<T>(*encoded, x, a.rows, 1);
    const auto verdict = judge(reference, alone.data());
    EXPECT_TRUE(verdict.ok) << verdict.reason;
    for (int threads : {2, 3, 7}) {
      const auto shared = product<T>(*encoded, x, a.rows, threads);
      EXPECT_EQ(std::memcmp(shared.data(), alone.data(), a.rows * sizeof(T)), 0) << threads << " threads";
    }
  }
}

template <class T>
void check_all(ValueType type) {
  const auto all = scenarios();
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE("scenario " + std::to_string(i));
    const auto typed = with_value_type(view_of(tests::make_csr(all[i])), type);
    ASSERT_TRUE(typed.ok());
    const auto x = test_vector<T>(typed->cols);
    const auto reference = reference_product<T>(view_of(*typed), x.data());
    for (StoreKind kind : {StoreKind::raw, StoreKind::lut8}) {
      const auto a = with_values(view_of(*typed), kind);
      ASSERT_TRUE(a.ok());
      for (const auto& spec : specs()) check_format<T>(*a, spec, reference, x);
    }
  }
}

TEST(Rows, OfAllLengthsGiveTheSameBitsForAnyNumberOfThreadsInDouble) { check_all<double>(ValueType::f64); }
TEST(Rows, OfAllLengthsGiveTheSameBitsForAnyNumberOfThreadsInFloat) { check_all<float>(ValueType::f32); }

/// One value, infinite: a lane without an entry would make 0 * infinity of it. x is not finite where no row looks.
/// first_col: of the matrix, which leaves those before it empty.
void check_what_rows_read(std::uint32_t first_col) {
  const double infinity = std::numeric_limits<double>::infinity();
  tests::Scenario s = rows_of({1, 2, 0, 3, 11, 20, 1}, 2);
  s.cols += first_col;
  for (auto& entry : s.entries) entry.second += first_col;
  std::fill(s.values.begin(), s.values.end(), infinity);
  std::vector<double> x(s.cols, std::numeric_limits<double>::quiet_NaN());
  for (const auto& entry : s.entries) x[entry.second] = 1;
  const auto raw = tests::make_csr(s);
  for (StoreKind kind : {StoreKind::raw, StoreKind::iso}) {
    const auto a = with_values(view_of(raw), kind);
    ASSERT_TRUE(a.ok());
    for (const auto& spec : specs()) {
      const auto encoded = encode_any(view_of(*a), spec);
      ASSERT_TRUE(encoded.ok());
      for (Isa wanted : available_isas()) {
        const tests::ExactIsa exact(wanted);
        EXPECT_EQ(product<double>(*encoded, x, a->rows, 2),
                  (std::vector<double>{infinity, infinity, 0, infinity, infinity, infinity, infinity}))
            << spec.text() << " on " << enum_name(wanted);
      }
    }
  }
}

TEST(Rows, DoNotMultiplyWhatIsNotTheirs) {
  check_what_rows_read(0);
  check_what_rows_read(1);
}

TEST(Rows, OfAGridAreSampledWithinItsLines) {
  for (const std::uint64_t side : {64, 100, 128, 512, 640, 2000, 4096}) {
    const auto begins_line = [&](std::uint64_t row) { return row % side == 0; };
    EXPECT_FALSE(cpu::portable::most_rows(side * side, 2, begins_line)) << side;
    EXPECT_TRUE(cpu::portable::most_rows(side * side, 15, [&](std::uint64_t row) { return !begins_line(row); }))
        << side;
  }
  for (const std::uint64_t rows : {0, 1, 2, 63, 64, 65, 127, 128, 1000}) {
    EXPECT_TRUE(cpu::portable::most_rows(rows, 16, [&](std::uint64_t row) { return row < rows; })) << rows;
    EXPECT_EQ(cpu::portable::most_rows(rows, 1, [&](std::uint64_t) { return false; }), rows == 0) << rows;
  }
}

/// The pieces of for_row_pieces, written down: how often each entry of a row was summed, whole or in parts.
void check_pieces(const std::vector<std::uint32_t>& row_ptr, int pieces) {
  const std::uint64_t rows = row_ptr.size() - 1;
  std::vector<double> y(rows, -1);
  cpu::for_row_pieces(
      row_ptr.data(), rows, pieces, y.data(),
      [&](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t r = first; r < last; ++r) {
          EXPECT_EQ(y[r], -1);
          y[r] = row_ptr[r + 1] - row_ptr[r];
        }
      },
      [&](std::uint64_t begin, std::uint64_t end) { return static_cast<double>(end - begin); });
  for (std::uint64_t r = 0; r < rows; ++r) EXPECT_EQ(y[r], row_ptr[r + 1] - row_ptr[r]) << "row " << r;
}

TEST(Rows, AreDealtToThreadsOnceEach) {
  const auto part = static_cast<std::uint32_t>(cpu::row_part);
  for (int pieces : {1, 2, 3, 5, 16, 61}) {
    SCOPED_TRACE(pieces);
    check_pieces({0}, pieces);
    check_pieces({0, 0, 0, 0}, pieces);
    check_pieces({0, 1, 2, 3, 3, 3, 10}, pieces);
    check_pieces({0, 40 * part + 1}, pieces);
    check_pieces({0, 5, 5 + 9 * part, 5 + 9 * part, 6 + 9 * part, 6 + 12 * part, 6 + 14 * part - 1}, pieces);
  }
}

TEST(Rows, OfGreatLengthAreCutAmongThreads) {
  const std::uint32_t row_ptr[] = {0, 100 * static_cast<std::uint32_t>(cpu::row_part)};
  for (int piece = 1; piece < 4; ++piece) {
    const auto cut = cpu::row_cut(row_ptr, 1, piece, 4);
    EXPECT_EQ(cut.row, 0u);
    EXPECT_EQ(cut.part, static_cast<std::uint64_t>(25 * piece));
  }
}

}  // namespace
}  // namespace spress
