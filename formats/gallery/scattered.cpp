// Random columns: in a band, anywhere, with lengths of a given density.
#include <algorithm>

#include "formats/gallery/generators.hpp"
#include "formats/gallery/sampling.hpp"

namespace spress::gallery {
namespace {

class BandRows final : public Rows {
 public:
  BandRows(std::uint64_t n, std::uint64_t half, std::uint64_t per_row, std::uint64_t seed)
      : Rows(n, n, Natural::noise), half_(half), per_row_(per_row), random_(seed, Stream::columns) {}
  std::uint64_t length(std::uint64_t row) const override { return std::min(per_row_, end(row) - begin(row)); }
  void fill(std::uint64_t row, RowWriter& out) const override {
    choose_columns(
        begin(row), end(row) - begin(row), length(row), [&](std::uint64_t t) { return random_(row, t); }, out);
  }

 private:
  [[nodiscard]] std::uint64_t begin(std::uint64_t row) const { return row - std::min(row, half_); }
  [[nodiscard]] std::uint64_t end(std::uint64_t row) const { return row + std::min(half_, cols() - 1 - row) + 1; }

  std::uint64_t half_, per_row_;
  Random random_;
};

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
    return make_rows<BandRows>(n, half, per_row, common.seed);
  }
};

class UniformRows final : public Rows {
 public:
  UniformRows(std::uint64_t n, std::uint64_t m, std::uint64_t k, std::uint64_t seed)
      : Rows(n, m, Natural::noise), k_(k), random_(seed, Stream::columns) {}
  std::uint64_t length(std::uint64_t) const override { return k_; }
  void fill(std::uint64_t row, RowWriter& out) const override {
    choose_columns(
        0, cols(), k_, [&](std::uint64_t t) { return random_(row, t); }, out);
  }

 private:
  std::uint64_t k_;
  Random random_;
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
    const std::uint64_t columns = m != 0 ? m : n;
    SPRESS_CHECK(checked_side(name, {{"n", n}}));
    SPRESS_CHECK(checked_side(name, {{"m", columns}}));
    if (k > columns) return bad_parameter(name, "k=" + std::to_string(k) + ": expected at most the number of columns");
    return make_rows<UniformRows>(n, columns, k, common.seed);
  }
};

}  // namespace

SPRESS_GALLERY_DEFINE(band, Band)
SPRESS_GALLERY_DEFINE(uniform, Uniform)

}  // namespace spress::gallery
