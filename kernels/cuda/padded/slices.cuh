// Sliced ELLPACK with slices of any size, plain ELLPACK (one slice of all rows) among them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/shared/partial_sums.cuh"
#include "kernels/cuda/shared/strided_sums.cuh"

namespace spress::cuda {

/// Slices of c rows, stored column by column. A unit is what one warp takes: up to 32 rows of a slice where it has more
/// than that, one lane a row; else a slice, its lanes taking several steps of each row at once, in turns.
struct Slices {
  std::uint64_t rows = 0;  // of the matrix
  std::uint64_t count = 0;
  std::uint64_t width = 0;   // of the only slice, where starts is empty
  Positions<Viewed> starts;  // count + 1, or empty
  const std::uint32_t* col_idx = nullptr;
  const std::uint32_t* row_perm = nullptr;  // null for the identity
  std::uint32_t c = 1;

  SPRESS_HD [[nodiscard]] std::uint32_t parts() const { return (c + warp_size - 1) / warp_size; }  // units of a slice
  SPRESS_HD [[nodiscard]] std::uint32_t steps_at_once() const { return c < warp_size ? warp_size / c : 1; }
  [[nodiscard]] std::uint64_t units() const { return count * parts(); }
};

/// Turns [from, to) of a unit.
struct SlicePiece {
  std::uint32_t slice, part, from, to;
};

/// One lane of a unit.
struct UnitLane {
  LaneSlots slots;
  std::uint32_t stored_row;  // of lane 0
  std::uint32_t rows;        // of the unit, not all of which need be rows of the matrix
  std::uint32_t step;        // among those taken at once
  std::uint32_t turns;       // of the unit
};

/// fixed_c: c where the compiler shall know it, else 0.
template <std::uint32_t fixed_c>
__device__ __forceinline__ UnitLane unit_lane(const Slices& a, const DevicePositions& starts, std::uint32_t slice,
                                              std::uint32_t part, unsigned lane) {
  const std::uint32_t c = fixed_c ? fixed_c : a.c;
  const std::uint64_t start = starts.data ? starts[slice] : 0;
  const std::uint32_t width =
      starts.data ? static_cast<std::uint32_t>((starts[slice + 1] - start) / c) : static_cast<std::uint32_t>(a.width);
  UnitLane out;
  out.stored_row = slice * c + part * warp_size;
  if (c < warp_size) {
    const std::uint32_t at_once = warp_size / c;
    out.rows = c;
    out.step = lane / c;
    const bool idle = out.step >= at_once || out.step >= width;
    out.turns = (width + at_once - 1) / at_once;
    out.slots = {start + lane, std::uint64_t{at_once} * c, idle ? 0 : (width - out.step + at_once - 1) / at_once};
  } else {
    out.rows = min(c - part * warp_size, warp_size);
    out.step = 0;
    out.turns = width;
    out.slots = {start + part * warp_size + lane, c, lane < out.rows ? width : 0};
  }
  return out;
}

/// Turns [from, to) alone.
__device__ __forceinline__ void cut(UnitLane& unit, std::uint32_t from, std::uint32_t to) {
  unit.slots.first += from * unit.slots.stride;
  unit.slots.count = min(unit.slots.count, to) - min(unit.slots.count, from);
  unit.turns = to - from;
}

/// The lanes' sums put together: row i of the unit in lane i.
template <std::uint32_t fixed_c, unsigned batch, class T, class Values>
__device__ __forceinline__ T sum_unit(const Slices& a, const Values& values, const UnitLane& lane, const T* x) {
  const T sum = sum_slots<fixed_c == warp_size, batch>(a.col_idx, values, lane.slots, lane.turns, x);
  if (fixed_c >= warp_size || a.c >= warp_size) return sum;
  return sum_over_places(sum, lane.step, a.steps_at_once(), a.c);
}

/// A warp a unit, and a warp a piece of those units that take more than `limit` turns.
template <std::uint32_t fixed_c, unsigned batch, class T, class Values>
__global__ void __launch_bounds__(slot_threads, batch == slot_batch ? slot_blocks : long_unit_blocks)
    multiply_slices(Slices a, DevicePositions starts, Values stored_values, std::uint32_t table_size,
                    std::uint32_t items, std::uint32_t pieces, const SlicePiece* piece_list, std::uint32_t limit,
                    T* partials, const T* x, T* y) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const NearValues<Values> values(stored_values, table_size, shared_bytes);
  const unsigned lane = threadIdx.x % warp_size;
  for (std::uint32_t item = first_item(); item < items; item += item_stride()) {
    const bool cut_out = item < pieces;
    SlicePiece piece = {};
    if (cut_out) {
      piece = piece_list[item];
    } else {
      const std::uint32_t unit = item - pieces;
      piece.slice = fixed_c == warp_size ? unit : unit / a.parts();
      piece.part = fixed_c == warp_size ? 0 : unit - piece.slice * a.parts();
    }
    UnitLane unit = unit_lane<fixed_c>(a, starts, piece.slice, piece.part, lane);
    if (cut_out)
      cut(unit, piece.from, piece.to);
    else if (unit.turns > limit)
      continue;  // in pieces
    const std::uint32_t stored = unit.stored_row + lane;
    const bool stores = lane < unit.rows && stored < a.rows;
    const std::uint32_t row = stores && a.row_perm ? load_once(a.row_perm + stored) : stored;
    const T sum = sum_unit<fixed_c, batch>(a, values, unit, x);
    if (cut_out)
      partials[std::uint64_t{item} * warp_size + lane] = sum;
    else if (stores)
      y[row] = sum;
  }
}

/// How the units of one matrix are dealt to warps.
struct SlicePlan {
  bool long_units = false;
  std::uint32_t limit = 0xFFFFFFFFu;  // turns of the longest unit that is not cut
  std::vector<SlicePiece> pieces;
  std::vector<Joint> joints;
};

/// Turns of each unit of slice s. host: Slices of arrays on the host.
[[nodiscard]] inline std::uint32_t turns_of(const Slices& host, std::uint64_t s) {
  const std::uint64_t width =
      host.starts.empty() ? host.width : (host.starts.position(s + 1) - host.starts.position(s)) / host.c;
  return static_cast<std::uint32_t>((width + host.steps_at_once() - 1) / host.steps_at_once());
}

inline void cut_slice(SlicePlan& plan, const Slices& host, std::uint64_t s, std::uint32_t turns) {
  const std::uint32_t pieces = (turns - 1) / plan.limit + 1, length = (turns - 1) / pieces + 1;
  for (std::uint32_t part = 0; part < host.parts(); ++part) {
    const std::uint64_t in_slice = std::uint64_t{part} * warp_size, stored = s * host.c + in_slice;
    if (stored >= host.rows) return;
    const std::uint64_t rows = std::min<std::uint64_t>({host.c - in_slice, warp_size, host.rows - stored});
    plan.joints.push_back({plan.pieces.size(), static_cast<std::uint32_t>(stored), static_cast<std::uint32_t>(rows),
                           (turns - 1) / length + 1});
    for (std::uint32_t from = 0; from < turns; from += std::min(length, turns - from))
      plan.pieces.push_back({static_cast<std::uint32_t>(s), part, from, from + std::min(length, turns - from)});
  }
}

/// Cuts units that would keep one warp busy when the others have long finished.
[[nodiscard]] inline SlicePlan plan_slices(const Slices& host) {
  constexpr std::uint64_t warps_at_once = 4096;  // of a large device
  constexpr std::uint64_t shortest = 64;         // turns that are worth a warp
  SlicePlan plan;
  std::uint64_t turns = 0, longest = 0;
  for (std::uint64_t s = 0; s < host.count; ++s) {
    const std::uint64_t of_slice = turns_of(host, s);
    turns += of_slice * host.parts();
    longest = std::max(longest, of_slice);
  }
  plan.long_units = are_long_units(turns, host.units());
  const std::uint64_t limit = std::max(shortest, turns / warps_at_once / 2);
  if (longest <= limit) return plan;
  plan.limit = static_cast<std::uint32_t>(limit);
  for (std::uint64_t s = 0; s < host.count; ++s)
    if (const std::uint32_t of_slice = turns_of(host, s); of_slice > limit) cut_slice(plan, host, s, of_slice);
  return plan;
}

/// y = A x for slices with their values, ready to be launched any number of times.
template <class T>
class SlicesProduct {
 public:
  /// host, device: the same slices; values: on the device. Errors: as Joints::make.
  [[nodiscard]] static Result<SlicesProduct> make(const Slices& host, const Slices& device,
                                                  const ValueStore<Viewed>& values) {
    SlicesProduct out;
    const SlicePlan plan = plan_slices(host);
    out.slices_ = device;
    out.values_ = values;
    out.long_units_ = plan.long_units;
    out.limit_ = plan.limit;
    out.piece_count_ = plan.pieces.size();
    SPRESS_TRY(DeviceMemory pieces, upload(std::span<const SlicePiece>(plan.pieces), "the list of pieces"));
    out.pieces_ = std::make_shared<DeviceMemory>(std::move(pieces));
    SPRESS_TRY(out.joints_, Joints<T>::make(plan.joints, plan.pieces.size(), warp_size));
    SPRESS_TRY(out.blocks_, (with_device_accessor<T, Result<unsigned>>(values, [&]<class Values>(Values) {
                 return slot_blocks_for<Values>(out.kernel_for<Values>(), out.items());
               })));
    return out;
  }

  [[nodiscard]] std::string kernel() const {
    std::string name = "row per lane";
    if (slices_.c < warp_size) name = std::to_string(slices_.steps_at_once()) + " lanes per row";
    return joints_.empty() ? name : name + ", long rows in pieces";
  }

  [[nodiscard]] Status multiply(const T* x, T* y, Stream stream) const {
    SPRESS_CHECK((with_device_accessor<T, Status>(values_, [&]<class Values>(Values values) {
      return launch_with_shared(kernel_for<Values>(), blocks_, slot_threads, NearValues<Values>::shared_bytes, stream,
                                slices_, DevicePositions(slices_.starts), values, table_size(values_),
                                static_cast<std::uint32_t>(items()), static_cast<std::uint32_t>(piece_count_),
                                pieces_->template as<SlicePiece>(), limit_, joints_.partials(), x, y);
    })));
    return joints_.finish(slices_.row_perm, false, y, stream);
  }

 private:
  template <class Values>
  [[nodiscard]] auto kernel_for() const {
    constexpr unsigned batch = batch_of_long_units<Values>;
    if (long_units_)
      return slices_.c == warp_size ? multiply_slices<warp_size, batch, T, Values>
                                    : multiply_slices<0, batch, T, Values>;
    return slices_.c == warp_size ? multiply_slices<warp_size, slot_batch, T, Values>
                                  : multiply_slices<0, slot_batch, T, Values>;
  }

  /// What warps take: units, and pieces of long ones.
  [[nodiscard]] std::uint64_t items() const { return slices_.units() + piece_count_; }

  Slices slices_;
  ValueStore<Viewed> values_;
  bool long_units_ = false;
  std::uint32_t limit_ = 0;
  unsigned blocks_ = 0;
  std::uint64_t piece_count_ = 0;
  std::shared_ptr<DeviceMemory> pieces_;
  Joints<T> joints_;
};

/// The product of a format that is slices and nothing else. host, device: the same slices. Errors: as Joints::make.
template <class T>
[[nodiscard]] Result<Product<T>> product_of_slices(const Slices& host, const Slices& device,
                                                   const ValueStore<Viewed>& values) {
  SPRESS_TRY(const auto product, SlicesProduct<T>::make(host, device, values));
  Product<T> out;
  out.kernel = product.kernel();
  out.multiply = [product](const T* x, T* y, Stream stream) { return product.multiply(x, y, stream); };
  return out;
}

/// All rows as one slice of `width` columns: ELLPACK.
[[nodiscard]] inline Slices one_slice(std::uint64_t rows, std::uint64_t width, const std::uint32_t* col_idx) {
  Slices out;
  out.rows = rows;
  out.count = rows == 0 ? 0 : 1;
  out.width = width;
  out.col_idx = col_idx;
  out.c = static_cast<std::uint32_t>(std::max<std::uint64_t>(rows, 1));
  return out;
}

}  // namespace spress::cuda
