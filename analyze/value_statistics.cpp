#include "analyze/value_statistics.hpp"

#include <omp.h>

#include <algorithm>
#include <complex>
#include <numeric>
#include <vector>

#include "analyze/value_counts.hpp"

namespace spress::analyze {
namespace {

template <class T>
std::vector<std::uint64_t> just_counts(const Counter<KeyOf<T>>& counter) {
  std::vector<std::uint64_t> counts;
  counts.reserve(counter.size());
  counter.for_each([&](const KeyOf<T>&, std::uint64_t count) { counts.push_back(count); });
  return counts;
}

/// Share of n that the `top` largest counts hold. Reorders the counts.
double coverage(std::vector<std::uint64_t>& counts, std::size_t top, std::uint64_t n) {
  if (counts.size() <= top) return 1;
  std::nth_element(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(top), counts.end(), std::greater<>());
  const auto held =
      std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(top), std::uint64_t{0});
  return static_cast<double>(held) / static_cast<double>(n);
}

template <class T>
bool is_zero(const T& value) {
  return value == T(0);
}
template <class T>
bool float_exact(const T& value) {
  return fits_exactly<float>(value);
}
bool float_exact(const std::complex<double>& value) {
  return fits_exactly<float>(value.real()) && fits_exactly<float>(value.imag());
}

/// The smallest type that holds every value, as make_narrow builds it.
template <class T>
std::optional<DType> narrow_type(const T* values, std::uint64_t n) {
  const auto all = [&]<class Small>(Small) {
    return std::all_of(values, values + n, [](T v) { return fits_exactly<Small>(v); });
  };
  if (n == 0) return std::nullopt;
  if (all(std::int8_t{})) return DType::i8;
  if (all(std::int16_t{})) return DType::i16;
  if constexpr (std::is_same_v<T, double>) {
    if (all(float{})) return DType::f32;
    if (all(std::int32_t{})) return DType::i32;
  }
  return std::nullopt;
}

template <class T>
ValueStatistics statistics_of(const T* values, std::uint64_t n, int threads) {
  ValueStatistics out;
  out.count = n;
  if (n == 0) return out;
  std::uint64_t zeros = 0, exact = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : zeros, exact)
  for (std::uint64_t i = 0; i < n; ++i) {
    zeros += is_zero(values[i]);
    exact += float_exact(values[i]);
  }
  out.explicit_zeros = zeros;
  out.exact_in_float = static_cast<double>(exact) / static_cast<double>(n);
  std::vector<std::uint64_t> counts;
  count_values(values, n, threads, just_counts<T>,
               [&](const std::vector<std::uint64_t>& part) { counts.insert(counts.end(), part.begin(), part.end()); });
  out.distinct = counts.size();
  out.coverage_65536 = coverage(counts, 65536, n);
  out.coverage_256 = coverage(counts, 256, n);
  if constexpr (!std::is_same_v<T, std::complex<double>>) out.narrow = narrow_type(values, n);
  return out;
}

}  // namespace

ValueStatistics value_statistics(const ValueStore<Viewed>& raw, int threads) {
  if (threads <= 0) threads = omp_get_max_threads();
  switch (raw.type) {
    case ValueType::f32: return statistics_of(raw.codes.as<float>(), raw.count, threads);
    case ValueType::f64: return statistics_of(raw.codes.as<double>(), raw.count, threads);
    case ValueType::c128: return statistics_of(raw.codes.as<std::complex<double>>(), raw.count, threads);
    case ValueType::none: break;
  }
  ValueStatistics pattern;
  pattern.count = raw.count;
  return pattern;
}

std::optional<std::uint64_t> store_bytes(StoreKind kind, const ValueStatistics& statistics, ValueType type,
                                         std::uint64_t slots) {
  const std::uint64_t width = size_of(type);
  const auto table = [&](std::uint64_t limit, std::uint64_t code) -> std::optional<std::uint64_t> {
    if (statistics.distinct == 0 || statistics.distinct > limit) return std::nullopt;
    return slots * code + statistics.distinct * width;
  };
  switch (kind) {
    case StoreKind::raw: return slots * width;
    case StoreKind::narrow:
      if (!statistics.narrow) return std::nullopt;
      return slots * size_of(*statistics.narrow);
    case StoreKind::lut8: return table(256, 1);
    case StoreKind::lut16: return table(65536, 2);
    case StoreKind::iso:
      if (statistics.distinct != 1) return std::nullopt;
      return width;
  }
  return std::nullopt;
}

}  // namespace spress::analyze
