#include <algorithm>
#include <string>
#include <vector>

#include "formats/slice_delta/slice_delta.hpp"
#include "kernels/cuda/shared/partial_sums.cuh"
#include "kernels/cuda/slice_delta/slice_arrays.cuh"
#include "kernels/cuda/slice_delta/slice_items.cuh"
#include "kernels/cuda/slice_delta/slice_pairs.cuh"

namespace spress::cuda {
namespace {

using namespace slice_items;

/// The rows that are cut into pieces.
[[nodiscard]] std::vector<Joint> joints_of(const SliceDelta<Viewed>& host) {
  std::vector<Joint> out;
  for (std::uint64_t p = 0; p < host.long_row.size(); ++p) {
    if (p == 0 || host.long_row[p] != host.long_row[p - 1]) out.push_back({p, host.long_row[p], 1, 0});
    ++out.back().pieces;
  }
  return out;
}

/// Whether any item has residuals or wide bases.
[[nodiscard]] bool has_packed_turns(const SliceDelta<Viewed>& host) {
  bool found = false;
  for (std::uint64_t i = 0; i < items_of(host); ++i)
    found = found || (host.words[host.first_word[i] - 1] & (slice_words::any_width | slice_words::wide_bases)) != 0;
  return found;
}

/// Names a type of TurnValues in a call.
template <class Turns>
struct TurnsTag {
  using type = Turns;
};
template <class T, class R, class Use>
[[nodiscard]] R with_turns(const SliceDelta<Viewed>& device, Use&& use) {
  return with_device_accessor<T, R>(device.values, [&]<class Store>(Store values) {
    using Turns = TurnValues<Store>;
    return use(TurnsTag<Turns>{}, typename Turns::Source{DevicePositions(device.value_start), values,
                                                         table_size(device.values), device.lane_steps == at_once});
  });
}

template <class T, bool packed_turns>
Result<Product<T>> make_with(const SliceDelta<Viewed>& host, const SliceDelta<Viewed>& device) {
  SPRESS_TRY(const Joints<T> joints, Joints<T>::make(joints_of(host), host.long_row.size(), 1));
  constexpr unsigned threads = item_threads<packed_turns>;
  SPRESS_TRY(const unsigned resident,
             (with_turns<T, Result<unsigned>>(device, [&]<class Turns>(TurnsTag<Turns>, const auto&) {
               return resident_blocks(multiply_items<packed_turns, T, Turns>, threads, Turns::shared_bytes);
             })));
  // Sorted rows make slices of very different lengths: the device balances them better than a fixed order of blocks.
  unsigned blocks = blocks_for(items_of(host), threads / warp_size);
  if (host.row_perm.empty() || device.values.kind == StoreKind::lut8) blocks = std::min(blocks, resident);
  Product<T> out;
  out.kernel = joints.empty() ? "row per lane" : "row per lane, long rows in pieces";
  const SliceArrays arrays(device);
  out.multiply = [joints, blocks, arrays, device](const T* x, T* y, Stream stream) -> Status {
    SPRESS_CHECK(
        (with_turns<T, Status>(device, [&]<class Turns>(TurnsTag<Turns>, const typename Turns::Source& source) {
          return launch_with_shared(multiply_items<packed_turns, T, Turns>, blocks, threads, Turns::shared_bytes,
                                    stream, arrays, DevicePositions(device.residual_start), source, joints.partials(),
                                    x, y);
        })));
    return joints.finish(nullptr, false, y, stream);
  };
  return out;
}

template <class T>
Result<Product<T>> make(const SliceDelta<Viewed>& host, const SliceDelta<Viewed>& device) {
  if (items_of(host) > most_items)
    return Error{ErrorCode::too_large,
                 std::to_string(items_of(host)) + " warps: at most " + std::to_string(most_items)};
  if (has_packed_turns(host)) return make_with<T, true>(host, device);
  if (const auto pairs = pair_slices(host)) return make_pairs<T>(*pairs, device);
  return make_with<T, false>(host, device);
}

}  // namespace

SPRESS_CUDA_PRODUCT(SliceDelta, make)

}  // namespace spress::cuda
