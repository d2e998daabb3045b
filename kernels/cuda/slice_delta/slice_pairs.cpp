#include "kernels/cuda/slice_delta/slice_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace spress::cuda {
namespace {

/// Joins slices whose description is the same, in the order in which their pairs are whole.
class Pairing {
 public:
  Pairing(const SliceDelta<Viewed>& host, std::uint64_t reach)
      : host_(host), reach_(reach), open_(host.words.size() / 4 + 1, none) {
    pairs_.reserve(slices_of(host) / 2 + 1);
  }

  std::vector<SlicePair> pairs() {
    const std::uint64_t slices = slices_of(host_);
    for (std::uint64_t i = 0; i < slices; ++i) {
      if (i > reach_) leave_alone(i - reach_ - 1);
      std::uint64_t& open = open_[host_.first_word[i] / 4];
      if (open == none) {
        open = i;
      } else {
        add(open, i);
        open = none;
      }
    }
    for (std::uint64_t i = slices - std::min(slices, reach_ + 1); i < slices; ++i) leave_alone(i);
    return std::move(pairs_);
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  /// Makes a pair of slice i and itself, if it still waits for another.
  void leave_alone(std::uint64_t i) {
    std::uint64_t& open = open_[host_.first_word[i] / 4];
    if (open != i) return;
    add(i, i);
    open = none;
  }
  void add(std::uint64_t first, std::uint64_t second) {
    const auto value = [&](std::uint64_t i) { return static_cast<std::uint32_t>(host_.value_start.position(i)); };
    pairs_.push_back({{value(first), value(second)},
                      host_.first_word[first],
                      {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second)}});
  }

  const SliceDelta<Viewed>& host_;
  std::uint64_t reach_;
  std::vector<std::uint64_t> open_;  // by description: the slice that waits for another
  std::vector<SlicePair> pairs_;
};

template <class T>
bool all_finite(const AnyArray<Viewed>& table) {
  const T* values = table.template as<T>();
  return std::all_of(values, values + table.size(), [](T value) { return std::isfinite(value); });
}
bool has_finite_table(const ValueStore<Viewed>& values) {
  if (values.type == ValueType::f64) return all_finite<double>(values.table);
  return values.type == ValueType::f32 && all_finite<float>(values.table);
}

/// Values are read from a table of finite ones, by codes of one byte in turns of four, or need no code.
bool has_near_values(const SliceDelta<Viewed>& host) {
  const ValueStore<Viewed>& values = host.values;
  if (values.type == ValueType::none) return true;
  if (values.kind == StoreKind::iso) return has_finite_table(values);
  if (host.lane_steps != 4 || values.count >> 32 != 0) return false;
  if (values.kind == StoreKind::lut8) return has_finite_table(values);
  return values.kind == StoreKind::narrow && values.codes.dtype() == DType::i8;
}

}  // namespace

std::optional<std::vector<SlicePair>> pair_slices(const SliceDelta<Viewed>& host) {
  if (!has_near_values(host) || !host.long_row.empty()) return std::nullopt;
  std::vector<SlicePair> pairs = Pairing(host, near_pair_reach).pairs();
  if (20 * pairs.size() > 11 * slices_of(host)) pairs = Pairing(host, pair_reach).pairs();
  // A pair takes 1.35 times as long as a slice by itself (27-point stencil).
  if (10 * pairs.size() > 7 * slices_of(host)) return std::nullopt;
  return pairs;
}

}  // namespace spress::cuda
