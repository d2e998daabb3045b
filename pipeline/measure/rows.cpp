#include "pipeline/measure/rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <string>

#include "encode/shared/any.hpp"
#include "encode/shared/footprint.hpp"

namespace spress::pipeline {
namespace {

/// The first entry that is finite, but not as a float, or nnz.
template <class Accessor>
std::uint64_t first_beyond_float(const Accessor& values, std::uint64_t nnz) {
  std::uint64_t first = nnz;
#pragma omp parallel for schedule(static) reduction(min : first)
  for (std::uint64_t k = 0; k < nnz; ++k) {
    const double value = values[k];
    if (k < first && std::isfinite(value) && !std::isfinite(static_cast<float>(value))) first = k;
  }
  return first;
}

}  // namespace

Result<std::vector<Spec>> formats_to_walk(const std::vector<Spec>& given) {
  if (given.empty()) return all_formats();
  std::set<std::string> seen;
  for (const Spec& spec : given) {
    SPRESS_CHECK(check_format(spec));
    if (!seen.insert(spec.text()).second)
      return Error{ErrorCode::usage, "the format '" + spec.text() + "' is given twice"};
  }
  return given;
}

std::optional<StoreKind> smaller_store(const analyze::ValueStatistics& statistics, ValueType type,
                                       std::uint64_t slots) {
  StoreBytes bytes;
  for (std::size_t s = 0; s < all_stores.size(); ++s)
    bytes[s] = analyze::store_bytes(all_stores[s], statistics, type, slots);
  const auto best = smallest_store(bytes);
  return best == StoreKind::raw ? std::nullopt : best;
}

std::vector<StoreKind> wanted_stores(StoreChoice choice, const std::vector<StoreKind>& listed, const Csr<Viewed>& a,
                                     int threads, const std::function<StoreKind(StoreKind)>& agree) {
  if (choice == StoreChoice::listed) return listed;
  if (choice == StoreChoice::all) return {all_stores.begin(), all_stores.end()};
  if (a.values.type == ValueType::none) return {StoreKind::raw};
  const auto statistics = analyze::value_statistics(a.values, threads);
  StoreKind best = smaller_store(statistics, a.values.type, a.nnz).value_or(StoreKind::raw);
  if (agree) best = agree(best);
  if (best == StoreKind::raw) return {best};
  return {StoreKind::raw, best};
}

std::string entry_beyond_float(const Csr<Viewed>& a) {
  std::string named;
  with_accessor<double>(a.values, [&](const auto& values) {
    const std::uint64_t k = first_beyond_float(values, a.nnz);
    if (k == a.nnz) return;
    std::uint64_t row = 0;
    while (a.row_ptr.position(row + 1) <= k) ++row;
    named = fmt::format("entry ({}, {}) is {}, beyond float (rows and columns from 1)", row + 1, a.col_idx[k] + 1,
                        values[k]);
  });
  return named;
}

}  // namespace spress::pipeline
