// Matrices of optimisation.
#include <algorithm>
#include <string>
#include <utility>

#include "formats/gallery/adjacency.hpp"
#include "formats/gallery/generators.hpp"
#include "formats/gallery/sampling.hpp"

namespace spress::gallery {
namespace {

using u64 = std::uint64_t;

/// [H A^T; A 0]: H tridiagonal and positive definite; A in echelon form, so of full rank: constraint i begins at column
/// floor(i * n / m) and its other columns are drawn to the right of that. The zero block holds no entries.
class KktRows final : public Rows {
 public:
  KktRows(u64 n, Adjacency constraints, u64 seed)
      : Rows(n + constraints.size(), n + constraints.size(), Natural::real, Mirrored::values),
        n_(n),
        a_(std::move(constraints)),
        at_(transposed(a_, n)),
        natural_(seed, Stream::natural) {}
  [[nodiscard]] u64 length(u64 row) const override {
    if (row >= n_) return a_.of(row - n_).size();
    return 1 + (row > 0 ? 1 : 0) + (row + 1 < n_ ? 1 : 0) + at_.of(row).size();
  }
  void fill(u64 row, RowWriter& out) const override {
    if (row >= n_) {
      for (const u64 variable : a_.of(row - n_)) out.add(variable, coefficient(row - n_, variable));
      return;
    }
    if (row > 0) out.add(row - 1, -1.0);
    out.add(row, 4.0);
    if (row + 1 < n_) out.add(row + 1, -1.0);
    for (const u64 constraint : at_.of(row)) out.add(n_ + constraint, coefficient(constraint, row));
  }

 private:
  [[nodiscard]] double coefficient(u64 constraint, u64 variable) const {
    return short_decimal(natural_(constraint, variable));
  }

  u64 n_;
  Adjacency a_, at_;
  Random natural_;
};

struct Kkt {
  static constexpr std::string_view name = "kkt";
  static constexpr std::string_view summary =
      "[H A^T; A 0] of a quadratic program: symmetric, indefinite, no entries in the zero block";
  u64 n = 1000, m = 500, k = 3;

  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("n", n, "variables: rows of H");
    visit.option("m", m, "constraints: rows of A, at most n");
    visit.option("k", k, "entries per constraint; fewer in the last ones, which have fewer columns to choose from");
  }
  [[nodiscard]] RowsResult rows(const Common& common) const {
    SPRESS_CHECK(checked_side(name, {{"n", n}}));
    SPRESS_CHECK(checked_side(name, {{"k", k}}));
    if (m > n) return bad_parameter(name, "m=" + std::to_string(m) + ": expected at most n");
    const Random random(common.seed, Stream::columns);
    Adjacency constraints;
    for (u64 i = 0; i < m; ++i) {
      const u64 first = i * n / m, others = std::min(k - 1, n - 1 - first);
      constraints.append(1 + others, [&](RowWriter& out) {
        out.add(first);
        choose_columns(
            {first + 1, n - 1 - first}, others, [&](u64 t) { return random(i, t); }, out);
      });
    }
    return make_rows<KktRows>(n, std::move(constraints), common.seed);
  }
};

/// A program over several periods. Columns: for each period its variables, then one slack for each of its rows. Rows:
/// the coupling ones, over all periods; then for each period rows over variables of the period before, its own, and the
/// slack.
struct Lp {
  static constexpr std::string_view name = "lp";
  static constexpr std::string_view summary =
      "constraints of a linear program over several periods: a staircase and coupling rows, rectangular";
  u64 periods = 20, period_rows = 100, period_cols = 150, k = 4, link = 2, coupling = 10;

  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("periods", periods, "steps of the staircase");
    visit.option("rows", period_rows, "rows of a period");
    visit.option("cols", period_cols, "variables of a period; each row has a slack column besides");
    visit.option("k", k, "entries of a row among its period's variables");
    visit.option("link", link, "entries of a row among the variables of the period before");
    visit.option("coupling", coupling, "rows with entries at a quarter of all variables");
  }
  [[nodiscard]] RowsResult rows(const Common& common) const {
    SPRESS_CHECK(check());
    const Random columns(common.seed, Stream::columns), natural(common.seed, Stream::natural);
    return rows_by(
        coupling + periods * period_rows, periods * width(), Natural::real, Mirrored::nothing,
        [lp = *this](u64 row) { return lp.length(row); },
        [lp = *this, columns, natural](u64 row, RowWriter& out) {
          lp.fill(
              row, [&](u64 t) { return columns(row, t); }, out);
          out.set_values(
              [&](u64 col) { return col % lp.width() >= lp.period_cols ? 1.0 : coefficient(natural(row, col)); });
        });
  }

 private:
  [[nodiscard]] Status check() const {
    const u64 height = periods > max_side || period_rows > max_side ? max_side + 1 : periods * period_rows;
    SPRESS_CHECK(checked_side(name, {{"periods", periods}, {"rows", period_rows}}));
    SPRESS_CHECK(checked_side(name, {{"cols", period_cols}}));
    SPRESS_CHECK(checked_side(name, {{"periods", periods}, {"rows + cols", width()}}));
    if (coupling > max_side - height)
      return bad_parameter(name, "coupling is too large; at most 2147483647 rows in all");
    if (k > period_cols || link > period_cols) return bad_parameter(name, "k and link: expected at most cols");
    return Ok{};
  }
  [[nodiscard]] u64 width() const { return period_cols + period_rows; }
  [[nodiscard]] u64 share() const { return (period_cols + 3) / 4; }
  [[nodiscard]] u64 length(u64 row) const {
    if (row < coupling) return periods * share();
    return k + (row - coupling < period_rows ? 0 : link) + 1;
  }
  template <class Bits>
  void fill(u64 row, const Bits& bits, RowWriter& out) const {
    // Each draw of columns counts from its own place, so that no two use the same bits.
    const auto choose = [&](u64 period, u64 wanted) {
      const auto own_bits = [&](u64 t) { return mix(bits(t) + period); };
      choose_columns({period * width(), period_cols}, wanted, own_bits, out);
    };
    if (row < coupling) {
      for (u64 period = 0; period < periods; ++period) choose(period, share());
      return;
    }
    const u64 period = (row - coupling) / period_rows, place = (row - coupling) % period_rows;
    if (period > 0) choose(period - 1, link);
    choose(period, k);
    out.add(period * width() + period_cols + place);
  }
  /// 1 or -1 in three of four, else a short decimal.
  static double coefficient(u64 bits) {
    if ((bits & 3) == 0) return short_decimal(bits);
    return (bits & 4) != 0 ? 1.0 : -1.0;
  }
};

}  // namespace

SPRESS_GALLERY_DEFINE(kkt, Kkt)
SPRESS_GALLERY_DEFINE(lp, Lp)

}  // namespace spress::gallery
