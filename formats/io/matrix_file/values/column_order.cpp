#include "formats/io/matrix_file/values/column_order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

namespace spress::io {

HostArray<std::uint32_t> column_order(std::span<const std::uint32_t> columns) {
  constexpr unsigned digit_bits = 11;
  constexpr std::uint32_t digits = 1u << digit_bits;
  HostArray<std::uint32_t> order(columns.size()), next(columns.size());
  std::iota(order.data(), order.data() + order.size(), 0u);
  std::uint32_t used = 0;
  for (const std::uint32_t column : columns) used |= column;
  for (unsigned shift = 0; shift < 32 && used >> shift != 0; shift += digit_bits) {
    std::array<std::uint32_t, digits> to = {};
    for (const std::uint32_t column : columns) ++to[column >> shift & (digits - 1)];
    std::uint32_t sum = 0;
    for (std::uint32_t& count : to) sum += std::exchange(count, sum);
    for (const std::uint32_t place : order) next[to[columns[place] >> shift & (digits - 1)]++] = place;
    std::swap(order, next);
  }
  return order;
}

std::vector<std::uint32_t> sample_of_columns(std::span<const std::uint32_t> columns, std::size_t most) {
  if (columns.empty()) return {};
  const auto [low, high] = std::minmax_element(columns.begin(), columns.end());
  const std::uint32_t first = *low, span = *high - first;
  constexpr std::uint32_t windows = 16;
  std::uint64_t stride = std::bit_floor(std::max(span / windows, 1u)), width = stride;
  const auto is_taken = [&](std::uint32_t column) { return ((column - first) & (stride - 1)) < width; };
  const auto taken = [&] { return static_cast<std::size_t>(std::count_if(columns.begin(), columns.end(), is_taken)); };
  for (std::size_t count = columns.size(); count > 2 * most; count = taken()) {
    if (width > 1)
      width = std::max<std::uint64_t>(width * most / count, 1);
    else if (stride < span)
      stride *= 2;
    else
      break;
  }
  std::vector<std::uint32_t> places;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (is_taken(columns[i])) places.push_back(static_cast<std::uint32_t>(i));
  std::stable_sort(places.begin(), places.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return columns[a] < columns[b]; });
  return places;
}

}  // namespace spress::io
