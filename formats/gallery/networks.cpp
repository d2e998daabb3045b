// Networks: a few nodes with very many links, most with a few.
#include <array>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "formats/gallery/adjacency.hpp"
#include "formats/gallery/generators.hpp"
#include "formats/gallery/sampling.hpp"

namespace spress::gallery {

enum class Structure : std::uint8_t { unsymmetric, symmetric };

}  // namespace spress::gallery

template <>
struct spress::EnumNames<spress::gallery::Structure> {
  static constexpr std::array<std::string_view, 2> names = {"unsymmetric", "symmetric"};
};

namespace spress::gallery {
namespace {

using u64 = std::uint64_t;

/// Conductances between nodes: -g off the diagonal, and on it their sum plus one to the ground, so that every row sum
/// is positive. In the unsymmetric structure some links work one way only.
class CircuitRows final : public Rows {
 public:
  CircuitRows(Adjacency lower, bool is_symmetric, double one_way, u64 seed)
      : Rows(lower.size(), lower.size(), Natural::real, is_symmetric ? Mirrored::values : Mirrored::nothing),
        lower_(std::move(lower)),
        upper_(transposed(lower_, lower_.size())),
        symmetric_(is_symmetric),
        one_way_(one_way),
        keep_(seed, Stream::choice),
        natural_(seed, Stream::natural) {}

  [[nodiscard]] u64 length(u64 row) const override {
    u64 count = 1;
    for_each_link(row, [&](u64) { ++count; });
    return count;
  }
  void fill(u64 row, RowWriter& out) const override {
    double sum = conductance(row, row);
    for_each_link(row, [&](u64 col) { sum += conductance(row, col); });
    bool before = true;
    const auto add_diagonal = [&] {
      if (std::exchange(before, false)) out.add(row, sum);
    };
    for_each_link(row, [&](u64 col) {
      if (col > row) add_diagonal();
      out.add(col, -conductance(row, col));
    });
    add_diagonal();
  }

 private:
  template <class Use>
  void for_each_link(u64 row, Use use) const {
    for (const auto* side : {&lower_, &upper_})
      for (const u64 col : side->of(row))
        if (symmetric_ || !chance(keep_(row, col), one_way_)) use(col);
  }
  [[nodiscard]] double conductance(u64 row, u64 col) const {
    const bool swap = symmetric_ && col < row;
    const double g = noise(swap ? natural_(col, row) : natural_(row, col));
    return g < 0 ? -g : g;
  }

  Adjacency lower_, upper_;
  bool symmetric_;
  double one_way_;
  Random keep_, natural_;
};

struct Circuit {
  static constexpr std::string_view name = "circuit";
  static constexpr std::string_view summary =
      "circuit-like: power-law rows, a few nearly dense rows and columns, full diagonal";
  u64 n = 10000, dense = 3, longest = 100;
  double gamma = 2.5, share = 0.1, one_way = 0.2;
  Structure structure = Structure::unsymmetric;

  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("n", n, "nodes: rows and columns");
    visit.option("gamma", gamma, "exponent of the power law of links per node");
    visit.option("longest", longest, "links that a node makes at most");
    visit.option("dense", dense, "nodes linked to many others: supplies");
    visit.option("share", share, "part of all nodes that each of them is linked to");
    visit.option("structure", structure, "of the pattern and the values");
    visit.option("one_way", one_way,
                 "part of the entries beside the diagonal left out where unsymmetric, each whatever its mirror image");
  }
  [[nodiscard]] RowsResult rows(const Common& common) const {
    SPRESS_CHECK(checked_side(name, {{"n", n}}));
    SPRESS_CHECK(checked_side(name, {{"longest", longest}}));
    if (!is_exponent(gamma)) return bad_parameter(name, "gamma: expected 1.2 to 10");
    if (!(share >= 0.0 && share <= 1.0)) return bad_parameter(name, "share: expected 0 to 1");
    if (!(one_way >= 0.0 && one_way <= 1.0)) return bad_parameter(name, "one_way: expected 0 to 1");
    if (dense > n) return bad_parameter(name, "dense=" + std::to_string(dense) + ": expected at most n");
    return make_rows<CircuitRows>(lower_links(common.seed), structure == Structure::symmetric, one_way, common.seed);
  }

 private:
  /// The links of each node to nodes before it.
  [[nodiscard]] Adjacency lower_links(u64 seed) const {
    const Random columns(seed, Stream::columns), lengths(seed, Stream::lengths), hub_links(seed, Stream::row_ranks);
    const auto exponent = static_cast<u64>(gamma * 64.0 + 0.5);
    const Weighted link_count(longest, [&](u64 i) { return inverse_power(static_cast<double>(i + 1), exponent); });
    std::vector<u64> hubs(dense);  // evenly spread
    for (u64 d = 0; d < dense; ++d) hubs[d] = (2 * d + 1) * n / (2 * dense);

    Adjacency links;
    u64 hubs_before = 0;
    for (u64 row = 0; row < n; ++row) {
      const u64 k = std::min(row, link_count(lengths(row)) + 1);
      const bool is_hub = hubs_before < dense && hubs[hubs_before] == row;
      links.append(k + hubs_before + (is_hub ? row : 0), [&](RowWriter& out) {
        choose_near(row, k, columns, out);
        for (u64 h = 0; h < hubs_before; ++h)
          if (chance(hub_links(row, hubs[h]), share)) out.add(hubs[h]);
        for (u64 col = 0; is_hub && col < row; ++col)
          if (chance(hub_links(row, col), share)) out.add(col);
      });
      if (is_hub) ++hubs_before;
    }
    return links;
  }
  /// k nodes before `row`, at distances spread evenly over the powers of two.
  static void choose_near(u64 row, u64 k, const Random& columns, RowWriter& out) {
    const auto bits = [&](u64 t) { return columns(row, t); };
    const auto draw = [&](u64 t) {
      const u64 power = below(bits(t), static_cast<u64>(std::bit_width(row)) + 1);
      return row - 1 - below(mix(bits(t)), std::min(row, u64{1} << power));
    };
    choose_columns({0, row}, k, bits, draw, out);
  }
};

/// Links to popular pages and to pages near by.
class WebRows final : public Rows {
 public:
  WebRows(std::vector<std::uint32_t> links, Weighted popularity, double local, u64 seed)
      : Rows(links.size(), links.size(), Natural::noise, Mirrored::nothing),
        links_(std::move(links)),
        popularity_(std::move(popularity)),
        local_(local),
        random_(seed, Stream::columns) {}
  [[nodiscard]] u64 length(u64 row) const override { return links_[row]; }
  void fill(u64 row, RowWriter& out) const override {
    constexpr u64 reach = 256;
    const u64 begin = row - std::min(row, reach), width = std::min(row + reach + 1, cols()) - begin;
    const auto bits = [&](u64 t) { return random_(row, t); };
    const auto draw = [&](u64 t) {
      return chance(bits(t), local_) ? begin + below(mix(bits(t)), width) : popularity_(mix(bits(t)));
    };
    choose_columns({0, cols()}, links_[row], bits, draw, out);
  }

 private:
  std::vector<std::uint32_t> links_;
  Weighted popularity_;
  double local_;
  Random random_;
};

struct PowerLaw {
  static constexpr std::string_view name = "powerlaw";
  static constexpr std::string_view summary = "web-like: numbers of links from and to a page follow power laws";
  u64 n = 10000, average = 8;
  double gamma_out = 2.7, gamma_in = 2.1, local = 0.5, idle = 0.1;

  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("n", n, "rows and columns");
    visit.option("average", average, "entries per row, about");
    visit.option("gamma_out", gamma_out, "exponent of the power law of entries per row");
    visit.option("gamma_in", gamma_in, "exponent of the power law of entries per column");
    visit.option("local", local, "part of the entries within 256 of the diagonal");
    visit.option("idle", idle, "part of the rows without entries");
  }
  [[nodiscard]] RowsResult rows(const Common& common) const {
    SPRESS_CHECK(checked_side(name, {{"n", n}}));
    if (average > n) return bad_parameter(name, "average=" + std::to_string(average) + ": expected at most n");
    if (!is_exponent(gamma_out) || !is_exponent(gamma_in))
      return bad_parameter(name, "gamma_out and gamma_in: expected 1.2 to 10");
    if (!(local >= 0.0 && local <= 1.0)) return bad_parameter(name, "local: expected 0 to 1");
    if (!(idle >= 0.0 && idle < 1.0)) return bad_parameter(name, "idle: expected 0 to less than 1");
    return make_rows<WebRows>(links_per_row(common.seed), popularity(common.seed), local, common.seed);
  }

 private:
  /// Weights (rank + 1)^-1/(gamma-1), the ranks dealt out at random.
  static std::vector<double> weights(const std::vector<std::uint32_t>& rank, double gamma) {
    const u64 exponent = rank_exponent(gamma);
    std::vector<double> out(rank.size());
    for (u64 i = 0; i < out.size(); ++i) out[i] = inverse_power(static_cast<double>(rank[i]) + 1.0, exponent);
    return out;
  }
  /// The weights scaled to the average and rounded up or down at random.
  [[nodiscard]] std::vector<std::uint32_t> links_per_row(u64 seed) const {
    const Random lengths(seed, Stream::lengths), idle_rows(seed, Stream::choice);
    auto weight = weights(random_permutation(n, Random(seed, Stream::row_ranks)), gamma_out);
    double sum = 0.0;
    for (u64 row = 0; row < n; ++row) sum += weight[row] = chance(idle_rows(row), idle) ? 0.0 : weight[row];
    std::vector<std::uint32_t> out(n);
    for (u64 row = 0; row < n && sum > 0.0; ++row) {
      const double wanted = weight[row] / sum * static_cast<double>(average * n);
      const auto whole = static_cast<u64>(wanted);
      const bool up = chance(lengths(row), wanted - static_cast<double>(whole));
      out[row] = static_cast<std::uint32_t>(std::min(n, whole + (up ? 1 : 0)));
    }
    return out;
  }
  [[nodiscard]] Weighted popularity(u64 seed) const {
    const auto weight = weights(random_permutation(n, Random(seed, Stream::column_ranks)), gamma_in);
    return Weighted(n, [&](u64 col) { return weight[col]; });
  }
};

}  // namespace

SPRESS_GALLERY_DEFINE(circuit, Circuit)
SPRESS_GALLERY_DEFINE(powerlaw, PowerLaw)

}  // namespace spress::gallery
