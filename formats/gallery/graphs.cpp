// Matrices of number theory and graph theory that are in the SuiteSparse collection, entry for entry.
#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "formats/gallery/generators.hpp"

namespace spress::gallery {
namespace {

/// The first n primes. Requires: n <= 200000000, so that they fit 32 bits.
std::vector<std::uint32_t> first_primes(std::uint64_t n) {
  const std::uint64_t limit = n * static_cast<std::uint64_t>(std::bit_width(n)) + 16;  // p_n < n log2(n) for n > 3
  std::vector<bool> composite(limit / 2);                                              // place i stands for 2i + 1
  std::vector<std::uint32_t> primes;
  primes.reserve(n);
  primes.push_back(2);
  for (std::uint64_t p = 3; primes.size() < n; p += 2) {
    if (composite[p / 2]) continue;
    primes.push_back(static_cast<std::uint32_t>(p));
    for (std::uint64_t multiple = p * p; multiple < limit; multiple += 2 * p) composite[multiple / 2] = true;
  }
  return primes;
}

/// Primes on the diagonal, ones where |i - j| is a power of two.
class TrefethenRows final : public Rows {
 public:
  TrefethenRows(std::uint64_t n, std::uint64_t skip)
      : Rows(n - skip, n - skip, Natural::integer, Mirrored::values), primes_(first_primes(n)), skip_(skip) {}
  [[nodiscard]] std::uint64_t length(std::uint64_t row) const override {
    return powers(row) + 1 + powers(rows() - 1 - row);
  }
  void fill(std::uint64_t row, RowWriter& out) const override {
    for (std::uint64_t p = std::bit_floor(row); p != 0; p /= 2) out.add(row - p, 1.0);
    out.add(row, primes_[row + skip_]);
    for (std::uint64_t p = 1; row + p < cols(); p *= 2) out.add(row + p, 1.0);
  }

 private:
  /// Powers of two that are at most `distance`.
  static std::uint64_t powers(std::uint64_t distance) { return static_cast<std::uint64_t>(std::bit_width(distance)); }

  std::vector<std::uint32_t> primes_;
  std::uint64_t skip_;
};

struct Trefethen {
  static constexpr std::string_view name = "trefethen";
  static constexpr std::string_view summary =
      "primes on the diagonal, ones where |i-j| is a power of two (SuiteSparse JGD_Trefethen)";
  std::uint64_t n = 2000, b = 0;

  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("n", n, "rows and columns");
    visit.option("b", b, "1: leave out the first row and column, as the collection's members with a b do");
  }
  [[nodiscard]] RowsResult rows(const Common&) const {
    constexpr std::uint64_t most = 200'000'000;  // the primes fit 32 bits
    if (b > 1) return bad_parameter(name, "b=" + std::to_string(b) + ": expected 0 or 1");
    if (n < 1 + b || n > most)
      return bad_parameter(name, "n=" + std::to_string(n) + ": expected " + std::to_string(1 + b) + " to 200000000");
    return make_rows<TrefethenRows>(n, b);
  }
};

/// Mycielski's construction: to n vertices v, n copies u and one vertex w are added, u_i is joined to the neighbours of
/// v_i, and w to every u. Numbered v, u, w, which is the collection's order.
class MycielskianRows final : public Rows {
 public:
  explicit MycielskianRows(std::uint64_t k) : Rows(side(k), side(k), Natural::pattern, Mirrored::values), k_(k) {}
  static constexpr std::uint64_t side(std::uint64_t k) { return 3 * (std::uint64_t{1} << (k - 2)) - 1; }

  [[nodiscard]] std::uint64_t length(std::uint64_t row) const override { return degree(k_, row); }
  void fill(std::uint64_t row, RowWriter& out) const override { add(k_, row, out); }

 private:
  static std::uint64_t degree(std::uint64_t k, std::uint64_t vertex) {
    if (k == 2) return 1;
    const std::uint64_t n = side(k - 1);
    if (vertex < n) return 2 * degree(k - 1, vertex);
    return vertex < 2 * n ? degree(k - 1, vertex - n) + 1 : n;
  }
  static void add(std::uint64_t k, std::uint64_t vertex, RowWriter& out) {
    if (k == 2) return out.add(1 - vertex, 1.0);
    const std::uint64_t n = side(k - 1), known = out.count();
    if (vertex == 2 * n) {
      for (std::uint64_t u = n; u < 2 * n; ++u) out.add(u, 1.0);
      return;
    }
    add(k - 1, vertex < n ? vertex : vertex - n, out);
    if (vertex >= n) return out.add(2 * n, 1.0);
    for (std::uint64_t i = known, end = out.count(); i < end; ++i) out.add(out.cols()[i] + n, 1.0);
  }

  std::uint64_t k_;
};

struct Mycielskian {
  static constexpr std::string_view name = "mycielskian";
  static constexpr std::string_view summary = "Mycielski's triangle-free graphs (SuiteSparse Mycielski)";
  std::uint64_t k = 8;

  template <class Visitor>
  void describe(Visitor& visit) {
    visit.option("k", k, "chromatic number: k=2 is one edge, each step more than doubles the vertices");
  }
  [[nodiscard]] RowsResult rows(const Common&) const {
    if (k < 2 || k > 31) return bad_parameter(name, "k=" + std::to_string(k) + ": expected 2 to 31");
    return make_rows<MycielskianRows>(k);
  }
};

}  // namespace

SPRESS_GALLERY_DEFINE(trefethen, Trefethen)
SPRESS_GALLERY_DEFINE(mycielskian, Mycielskian)

}  // namespace spress::gallery
