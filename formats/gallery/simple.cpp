// Shapes that a test or a worst case asks for by name.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "formats/gallery/generators.hpp"

namespace spress::gallery {

enum class Corner : std::uint8_t { first, last };

}  // namespace spress::gallery

template <>
struct spress::EnumNames<spress::gallery::Corner> {
  static constexpr std::array<std::string_view, 2> names = {"first", "last"};
};

namespace spress::gallery {
namespace {

using u64 = std::uint64_t;

struct Tridiag {
  static constexpr std::string_view name = "tridiag";
  static constexpr std::string_view summary = "three diagonals of constants";
  u64 n = 1000;
  double lower = -1.0, diagonal = 2.0, upper = -1.0;

  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("n", n, "rows and columns");
    visit.option("lower", lower, "below the diagonal");
    visit.option("diagonal", diagonal, "on the diagonal");
    visit.option("upper", upper, "above the diagonal");
  }
  [[nodiscard]] RowsResult rows(const Common&) const {
    SPRESS_CHECK(checked_side(name, {{"n", n}}));
    const bool same = std::bit_cast<u64>(lower) == std::bit_cast<u64>(upper);
    return rows_by(
        n, n, Natural::real, same ? Mirrored::values : Mirrored::pattern,
        [last = n - 1](u64 row) -> u64 { return 1u + (row > 0 ? 1u : 0u) + (row < last ? 1u : 0u); },
        [g = *this](u64 row, RowWriter& out) {
          if (row > 0) out.add(row - 1, g.lower);
          out.add(row, g.diagonal);
          if (row + 1 < g.n) out.add(row + 1, g.upper);
        });
  }
};

/// One entry per row.
RowsResult diagonal_rows(std::string_view name, u64 n, Natural natural) {
  SPRESS_CHECK(checked_side(name, {{"n", n}}));
  return rows_by(
      n, n, natural, Mirrored::values, [](u64) -> u64 { return 1; },
      [](u64 row, RowWriter& out) { out.add(row, 1.0); });
}

struct OneSide {
  u64 n = 1000;
  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("n", n, "rows and columns");
  }
};

struct Identity : OneSide {
  static constexpr std::string_view name = "identity";
  static constexpr std::string_view summary = "ones on the diagonal";
  [[nodiscard]] RowsResult rows(const Common&) const { return diagonal_rows(name, n, Natural::real); }
};

struct Diagonal : OneSide {
  static constexpr std::string_view name = "diagonal";
  static constexpr std::string_view summary = "random numbers on the diagonal";
  [[nodiscard]] RowsResult rows(const Common&) const { return diagonal_rows(name, n, Natural::noise); }
};

struct Dense {
  static constexpr std::string_view name = "dense";
  static constexpr std::string_view summary = "every entry stored";
  u64 n = 100, m = 0;

  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("n", n, "rows");
    visit.option("m", m, "columns; 0: n");
  }
  [[nodiscard]] RowsResult rows(const Common&) const {
    const u64 width = m != 0 ? m : n;
    SPRESS_CHECK(checked_side(name, {{"n", n}}));
    SPRESS_CHECK(checked_side(name, {{"m", width}}));
    return rows_by(
        n, width, Natural::noise, Mirrored::nothing, [width](u64) { return width; },
        [width](u64, RowWriter& out) {
          for (u64 col = 0; col < width; ++col) out.add(col);
        });
  }
};

struct Empty {
  static constexpr std::string_view name = "empty";
  static constexpr std::string_view summary = "no entries; either side may be 0";
  u64 row_count = 10, col_count = 10;

  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("rows", row_count, "rows");
    visit.option("cols", col_count, "columns");
  }
  [[nodiscard]] RowsResult rows(const Common&) const {
    return rows_by(
        row_count, col_count, Natural::real, row_count == col_count ? Mirrored::values : Mirrored::nothing,
        [](u64) -> u64 { return 0; }, [](u64, RowWriter&) {});
  }
};

struct BlockDiag {
  static constexpr std::string_view name = "blockdiag";
  static constexpr std::string_view summary =
      "dense blocks on the diagonal, the last one smaller where they do not fit";
  u64 n = 1000, b = 8;

  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("n", n, "rows and columns");
    visit.option("b", b, "rows and columns of a block");
  }
  [[nodiscard]] RowsResult rows(const Common&) const {
    SPRESS_CHECK(checked_side(name, {{"n", n}}));
    SPRESS_CHECK(checked_side(name, {{"b", b}}));
    const auto begin = [side = b](u64 row) { return row / side * side; };
    const auto end = [begin, side = b, size = n](u64 row) { return std::min(begin(row) + side, size); };
    return rows_by(
        n, n, Natural::noise, Mirrored::pattern, [=](u64 row) { return end(row) - begin(row); },
        [=](u64 row, RowWriter& out) {
          for (u64 col = begin(row), stop = end(row); col < stop; ++col) out.add(col);
        });
  }
};

/// Diagonal n, -1 elsewhere in the head's rows and columns and on no other place: strictly dominant.
struct Arrow {
  static constexpr std::string_view name = "arrow";
  static constexpr std::string_view summary = "the diagonal, and some full rows and columns at one corner";
  u64 n = 1000, width = 1;
  Corner corner = Corner::last;

  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("n", n, "rows and columns");
    visit.option("width", width, "full rows and columns");
    visit.option("corner", corner, "where they are");
  }
  [[nodiscard]] RowsResult rows(const Common&) const {
    SPRESS_CHECK(checked_side(name, {{"n", n}}));
    if (width > n) return bad_parameter(name, "width=" + std::to_string(width) + ": expected at most n");
    const u64 begin = corner == Corner::first ? 0 : n - width, end = begin + width;  // the full rows
    const auto full = [=](u64 row) { return row >= begin && row < end; };
    return rows_by(
        n, n, Natural::real, Mirrored::values, [=, size = n](u64 row) { return full(row) ? size : end - begin + 1; },
        [=, size = n](u64 row, RowWriter& out) {
          const auto value = [&](u64 col) { return col == row ? static_cast<double>(size) : -1.0; };
          if (!full(row) && row < begin) out.add(row, value(row));
          for (u64 col = full(row) ? 0 : begin, stop = full(row) ? size : end; col < stop; ++col)
            out.add(col, value(col));
          if (!full(row) && row >= end) out.add(row, value(row));
        });
  }
};

}  // namespace

SPRESS_GALLERY_DEFINE(tridiag, Tridiag)
SPRESS_GALLERY_DEFINE(identity, Identity)
SPRESS_GALLERY_DEFINE(diagonal, Diagonal)
SPRESS_GALLERY_DEFINE(dense, Dense)
SPRESS_GALLERY_DEFINE(empty, Empty)
SPRESS_GALLERY_DEFINE(blockdiag, BlockDiag)
SPRESS_GALLERY_DEFINE(arrow, Arrow)

}  // namespace spress::gallery
