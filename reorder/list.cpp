#include <algorithm>
#include <cassert>
#include <iterator>
#include <string>
#include <utility>

#include "formats/core/names.hpp"
#include "reorder/core/methods.hpp"
#include "reorder/orderings.hpp"
#include "reorder/parts/scotch.hpp"

namespace spress::reorder {
namespace {

/// The permutation, empty where it is the identity.
Permutation shortened(Permutation perm, [[maybe_unused]] std::uint64_t n) {
  assert(perm.empty() || is_permutation(perm.span(), n));
  for (std::size_t i = 0; i < perm.size(); ++i)
    if (perm[i] != i) return perm;
  return Permutation();
}

constexpr std::string_view everywhere;  // no build lacks anything for the ordering
constexpr TriedBy auto_and_search(std::uint8_t turn) { return {true, turn}; }
constexpr TriedBy search_only(std::uint8_t turn) { return {false, turn}; }

}  // namespace

const std::vector<Ordering>& orderings() {
  static const std::vector<Ordering> list = {
      {"none", "as the matrix comes", [](const Csr<Viewed>&) -> Result<Permutation> { return Permutation(); }},
      {"rcm", "reverse Cuthill-McKee: small bandwidth and profile", methods::reverse_cuthill_mckee, nullptr, everywhere,
       auto_and_search(6)},
      {"rcm-thorough",
       "rcm from more starts, then small moves: mostly smaller bandwidth and profile, ten times the time",
       methods::reverse_cuthill_mckee_thorough},
      {"cm", "Cuthill-McKee: small bandwidth", methods::forward_cuthill_mckee, nullptr, everywhere, search_only(2)},
      {"king", "King: small profile and wavefront", methods::king},
      {"sloan", "Sloan: small profile and wavefront", methods::sloan, nullptr, everywhere, search_only(1)},
      {"mmd", "minimum degree: little fill in a factorisation", methods::minimum_degree},
      {"nd", "nested dissection (Scotch): little fill, separators last", methods::nested_dissection, nullptr,
       scotch::missing()},
      {"partition",
       "closed parts of some thousand rows (Scotch), each in Cuthill-McKee order: small differences of columns",
       methods::partition, nullptr, scotch::missing(), search_only(4)},
      {"cm-nodes", "Cuthill-McKee on nodes: unknowns with the same neighbors stay together",
       methods::cuthill_mckee_of_nodes, nullptr, everywhere, auto_and_search(3)},
      {"lines", "lines of a mesh behind one another, parallel: the natural order of a grid, found again",
       methods::grid_lines, nullptr, everywhere, auto_and_search(8)},
      {"likeness", "rows, and columns apart, behind the first that is like them; any shape", nullptr, methods::likeness,
       everywhere, search_only(7)},
      {"apart", "Cuthill-McKee of rows and columns apart, those alike together; any shape", nullptr, methods::apart,
       everywhere, auto_and_search(5)},
      {"search", "the cheapest found by trying the others and moving rows and columns; slow; any shape", nullptr,
       methods::search},
  };
  return list;
}

std::vector<Ordering> search_starts() {
  std::vector<Ordering> out;
  std::copy_if(orderings().begin(), orderings().end(), std::back_inserter(out),
               [](const Ordering& ordering) { return ordering.tried_by.search_turn != 0; });
  std::stable_sort(out.begin(), out.end(), [](const Ordering& x, const Ordering& y) {
    return x.tried_by.search_turn < y.tried_by.search_turn;
  });
  return out;
}

Result<Ordering> find_ordering(std::string_view name) {
  std::vector<std::string> choices;
  for (const Ordering& ordering : orderings()) {
    if (ordering.name == name) return ordering;
    choices.emplace_back(ordering.name);
  }
  return unknown_name("ordering", name, choices);
}

Result<Reordering> compute_ordering(std::string_view name, const Csr<Viewed>& a, const OrderingOptions& options) {
  SPRESS_TRY(const Ordering ordering, find_ordering(name));
  if (!ordering.missing.empty())
    return Error{ErrorCode::unsupported, "ordering " + std::string(name) + ": " + std::string(ordering.missing)};
  if (!ordering.symmetric()) {
    SPRESS_TRY(Reordering to, ordering.compute_sides(a, options));
    return Reordering{shortened(std::move(to.rows), a.rows), shortened(std::move(to.cols), a.cols)};
  }
  if (a.rows != a.cols && name != "none")
    return Error{ErrorCode::not_applicable, "ordering " + std::string(name) +
                                                " needs a square matrix, and this one is " + std::to_string(a.rows) +
                                                " by " + std::to_string(a.cols)};
  SPRESS_TRY(Permutation perm, ordering.compute(a));
  perm = shortened(std::move(perm), a.rows);
  return Reordering{perm, std::move(perm)};
}

}  // namespace spress::reorder
