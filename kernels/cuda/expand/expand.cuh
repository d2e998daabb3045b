// What the expansions of all formats share: the work of pieces, the CSR that grows, values copied by their bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cub/device/device_scan.cuh>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/expand/cutter.hpp"
#include "kernels/cuda/expand/expand.hpp"

namespace spress::cuda {

// --- Pieces ---

/// How a matrix is expanded in pieces: for formats that are parts of another, whose arrays may lie anywhere.
struct PieceWork {
  std::uint64_t units = 0;                                                ///< rows, or block rows
  std::function<void(Cutter&)> cut = {};                                  ///< adds the arrays
  std::function<Status(Stream)> head = {};                                ///< works on those that go in front
  std::function<Status(std::uint64_t, std::uint64_t, Stream)> work = {};  ///< on units [first, last)
};

/// Errors: those of expansion. out: keeps the scratch.
template <template <class> class F>
[[nodiscard]] Result<PieceWork> piece_work(const ExpandTask<F>& task, Expansion& out);
template <>
[[nodiscard]] Result<PieceWork> piece_work<OptCsr>(const ExpandTask<OptCsr>& task, Expansion& out);
template <>
[[nodiscard]] Result<PieceWork> piece_work<BmSparseCsr>(const ExpandTask<BmSparseCsr>& task, Expansion& out);

/// Adds what makes a CSR of a matrix to an expansion.
template <template <class> class F>
[[nodiscard]] Status add_expansion(const ExpandTask<F>& task, Expansion& out) {
  SPRESS_TRY(const PieceWork all, piece_work(task, out));
  Cutter cutter(all.units, task.piece);
  all.cut(cutter);
  cutter.add_pieces(out, all.head, all.work);
  return Ok{};
}

/// Ends the making of an expansion: counts its bytes. Where a matrix is small, its buffer goes in one copy, and the
/// same work is done behind it.
template <template <class> class F>
void finish(Expansion& expansion, const ExpandTask<F>& task) {
  const std::size_t bytes = packed_size(task.host);
  for (const TransferPiece& piece : expansion.pieces)
    for (const Copy& copy : piece.copies) expansion.bytes += copy.bytes;
  if (bytes > task.piece / 8 || expansion.pieces.empty()) return;
  const void *from = nullptr, *to = nullptr;  // of the first array
  for_each_array(
      [&](const ArrayInfo&, const auto& host, const auto& device) {
        if (from == nullptr) from = host.raw(), to = device.raw();
      },
      task.host, task.device);
  for (TransferPiece& piece : expansion.pieces) piece.copies.clear();
  expansion.pieces.front().copies = {{const_cast<void*>(to), from, bytes}};
  expansion.bytes = bytes;
}

/// The expansion of a format that is made piece by piece on its own. Errors: those of expansion.
template <template <class> class F>
[[nodiscard]] Result<Expansion> expansion_by_pieces(const ExpandTask<F>& task) {
  Expansion out;
  SPRESS_CHECK(add_expansion(task, out));
  finish(out, task);
  return Result<Expansion>(std::move(out));  // nvcc does not move it by itself
}

/// Scratch memory that lives as long as the expansion.
template <class T>
[[nodiscard]] Result<T*> scratch_of(Expansion& out, std::size_t count) {
  SPRESS_TRY(auto memory, allocate(count * sizeof(T), "what it takes to expand the matrix"));
  out.scratch.push_back(std::make_shared<DeviceMemory>(std::move(memory)));
  return out.scratch.back()->as<T>();
}

// --- The target ---

/// The row pointers of the CSR that grows, of either width.
struct RowPointers {
  void* data;
  bool wide;
  explicit RowPointers(const Positions<Viewed>& positions)
      : data(const_cast<void*>(positions.raw())), wide(positions.dtype() == DType::u64) {}
  __device__ __forceinline__ void set(std::uint64_t row, std::uint64_t position) const {
    if (wide)
      static_cast<std::uint64_t*>(data)[row] = position;
    else
      static_cast<std::uint32_t*>(data)[row] = static_cast<std::uint32_t>(position);
  }
  __device__ __forceinline__ std::uint64_t operator[](std::uint64_t row) const {
    return wide ? static_cast<const std::uint64_t*>(data)[row] : static_cast<const std::uint32_t*>(data)[row];
  }
  /// Rows [0, count) begin at 0.
  [[nodiscard]] Status clear(std::uint64_t count, Stream stream) const {
    return fill_bytes(data, 0, count * (wide ? 8 : 4), stream);
  }
};

/// Turns lengths (and a last number of any value) into what lies before each, in place.
class Scan {
 public:
  Scan() = default;
  /// Errors: as allocate.
  [[nodiscard]] static Result<Scan> make(Expansion& out, void* numbers, bool wide, std::uint64_t count) {
    Scan scan;
    scan.numbers_ = numbers;
    scan.wide_ = wide;
    scan.count_ = count;
    SPRESS_CUDA_TRY(scan.call(nullptr, nullptr));
    SPRESS_TRY(scan.scratch_, scratch_of<std::uint8_t>(out, std::max<std::size_t>(scan.bytes_, 1)));
    return scan;
  }
  [[nodiscard]] Status run(Stream stream) const {
    Scan scan = *this;
    SPRESS_CUDA_TRY(scan.call(scratch_, stream));
    return Ok{};
  }

 private:
  cudaError_t call(void* scratch, Stream stream) {
    return wide_ ? scan_as<unsigned long long>(scratch, stream) : scan_as<unsigned>(scratch, stream);
  }
  template <class Number>
  cudaError_t scan_as(void* scratch, Stream stream) {
    auto* numbers = static_cast<Number*>(numbers_);
    return cub::DeviceScan::ExclusiveSum(scratch, bytes_, numbers, numbers, static_cast<std::int64_t>(count_), stream);
  }
  void* numbers_ = nullptr;
  bool wide_ = false;
  std::uint64_t count_ = 0;
  std::uint8_t* scratch_ = nullptr;
  std::size_t bytes_ = 0;
};

// --- Values ---

/// The number of a narrow store, bit for bit: the device's own conversion forgets what a NaN carries.
template <class Accessor>
__device__ __forceinline__ auto exact_value(const Accessor& values, std::uint64_t k) {
  return values[k];
}
__device__ __forceinline__ double exact_value(const OnDevice<CastAccessor<double, float>>& values, std::uint64_t k) {
  const float number = values.load(k);
  if (!isnan(number)) return number;
  const std::uint64_t bits = __float_as_uint(number);
  return __longlong_as_double(
      static_cast<long long>((bits >> 31 << 63) | (std::uint64_t{0x7FF} << 52) | (bits & 0x7FFFFF) << 29));
}

/// Puts values of a store into the CSR.
template <class T, class Accessor>
struct PutValues {
  Accessor from;
  T* to;
  __device__ __forceinline__ void operator()(std::uint64_t stored, std::uint64_t position) const {
    to[position] = exact_value(from, stored);
  }
};
/// A pattern has none.
struct PutNothing {
  __device__ __forceinline__ void operator()(std::uint64_t, std::uint64_t) const {}
};

namespace detail {

template <class T, class Use>
Status with_put_as(const ValueStore<Viewed>& device, const ValueStore<Viewed>& target, Use& use) {
  T* to = const_cast<T*>(target.codes.template as<T>());
  return with_device_accessor<T, Status>(device, [&]<class Accessor>(Accessor from) -> Status {
    return use(PutValues<T, Accessor>{from, to});
  });
}

}  // namespace detail

/// Calls use(put), which returns a Status, with what puts values of a store into raw ones.
template <class Use>
[[nodiscard]] Status with_put(const ValueStore<Viewed>& device, const ValueStore<Viewed>& target, Use&& use) {
  switch (device.type) {
    case ValueType::none: return use(PutNothing{});
    case ValueType::f32: return detail::with_put_as<float>(device, target, use);
    case ValueType::f64: return detail::with_put_as<double>(device, target, use);
    default: return Error{ErrorCode::not_applicable, "complex values are not expanded on the device"};
  }
}

}  // namespace spress::cuda
