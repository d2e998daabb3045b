// Random columns: in a band, anywhere, with row lengths of a given density.
#include <algorithm>
#include <array>
#include <string>

#include "formats/gallery/generators.hpp"
#include "formats/gallery/sampling.hpp"

namespace spress::gallery {
namespace {

/// Rows of length(row) different columns of window(row), uniformly random.
template <class Length, class WindowOf>
RowsResult scattered_rows(std::uint64_t rows, std::uint64_t cols, std::uint64_t seed, Length length, WindowOf window) {
  const Random random(seed, Stream::columns);
  return rows_by(rows, cols, Natural::noise, Mirrored::nothing, length, [=](std::uint64_t row, RowWriter& out) {
    const auto bits = [&](std::uint64_t t) { return random(row, t); };
    choose_columns(window(row), length(row), bits, out);
  });
}

struct Band {
  static constexpr std::string_view name = "band";
  static constexpr std::string_view summary = "random columns within a band";
  std::uint64_t n = 10000, half = 2000, per_row = 16;

  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("n", n, "rows and columns");
    visit.option("half", half, "half bandwidth: |i - j| is at most this");
    visit.option("per_row", per_row, "entries per row, fewer where the band is narrower");
  }
  [[nodiscard]] RowsResult rows(const Common& common) const {
    SPRESS_CHECK(checked_side(name, {{"n", n}}));
    const auto window = [size = n, reach = std::min(half, n)](std::uint64_t row) {
      const std::uint64_t begin = row - std::min(row, reach);
      return Window{begin, row + std::min(reach, size - 1 - row) + 1 - begin};
    };
    const auto length = [window, k = per_row](std::uint64_t row) { return std::min(k, window(row).width); };
    return scattered_rows(n, n, common.seed, length, window);
  }
};

struct Uniform {
  static constexpr std::string_view name = "uniform";
  static constexpr std::string_view summary = "uniformly random columns, the same number in every row";
  std::uint64_t n = 10000, m = 0, k = 8;

  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("n", n, "rows");
    visit.option("m", m, "columns; 0: n");
    visit.option("k", k, "entries per row");
  }
  [[nodiscard]] RowsResult rows(const Common& common) const {
    const std::uint64_t width = m != 0 ? m : n;
    SPRESS_CHECK(checked_side(name, {{"n", n}}));
    SPRESS_CHECK(checked_side(name, {{"m", width}}));
    if (k > width)
      return bad_parameter(name,
                           "k=" + std::to_string(k) + ": expected at most the " + std::to_string(width) + " columns");
    return scattered_rows(
        n, width, common.seed, [per_row = k](std::uint64_t) { return per_row; },
        [width](std::uint64_t) {
          return Window{0, width};
        });
  }
};

/// Row lengths: percent of the rows in the first and the last quarter of 1 .. longest, the rest in the middle half,
/// each uniform. Source: Matam and Kothapalli, experiments on synthetic data sets.
class LengthDensity {
 public:
  LengthDensity(std::uint64_t longest, std::uint64_t function, std::uint64_t seed)
      : longest_(longest),
        first_(percent[function - 1][0]),
        last_(percent[function - 1][1]),
        random_(seed, Stream::lengths) {}
  std::uint64_t operator()(std::uint64_t row) const {
    const std::uint64_t quarter = longest_ / 4, draw = below(random_(row, 0), 100), bits = random_(row, 1);
    if (draw < first_) return 1 + below(bits, quarter);
    if (draw < first_ + last_) return longest_ - below(bits, quarter);
    return quarter + 1 + below(bits, longest_ - 2 * quarter);
  }

 private:
  static constexpr std::uint64_t percent[3][2] = {{60, 10}, {38, 32}, {15, 55}};
  std::uint64_t longest_, first_, last_;
  Random random_;
};

struct Density {
  static constexpr std::string_view name = "density";
  static constexpr std::string_view summary = "uniformly random columns, row lengths by one of three densities";
  std::uint64_t n = 32768, max = 64, function = 1;

  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("n", n, "rows and columns");
    visit.option("max", max, "the longest row; 64, 96 or 128 where the densities come from");
    visit.option("f", function,
                 "1, 2, 3: 60, 38, 15 % of the rows in the first quarter of lengths, 10, 32, 55 % in the last");
  }
  [[nodiscard]] RowsResult rows(const Common& common) const {
    SPRESS_CHECK(checked_side(name, {{"n", n}}));
    if (function < 1 || function > 3)
      return bad_parameter(name, "f=" + std::to_string(function) + ": expected 1, 2 or 3");
    if (max < 4 || max > n) return bad_parameter(name, "max=" + std::to_string(max) + ": expected 4 to n");
    return scattered_rows(n, n, common.seed, LengthDensity(max, function, common.seed), [size = n](std::uint64_t) {
      return Window{0, size};
    });
  }
};

}  // namespace

SPRESS_GALLERY_DEFINE(band, Band)
SPRESS_GALLERY_DEFINE(uniform, Uniform)
SPRESS_GALLERY_DEFINE(density, Density)

}  // namespace spress::gallery
