// Kernels of conjugate gradient: the passes over vectors. Each pass adds up the sums that the blocks of the pass before
// have left, and decides from them how to go on.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/cg_rules.hpp"
#include "kernels/cuda/device/launch.cuh"

namespace spress::cuda::cg {

inline constexpr unsigned block_size = 512;
inline constexpr unsigned most_blocks = block_size;     ///< each thread of a block reads the sums of one block
inline constexpr std::uint64_t least_per_block = 1024;  ///< the fewest elements of a block

/// The sums of a block in one pass.
struct Sums {
  double first, second;
};

/// Data that passes hand to later passes. The first block of one pass writes a field, and only later passes read it.
struct Progress {
  double rr, rz;  ///< of `advance`: r^T r, r^T M^-1 r, both times scale^2
  std::uint64_t iterations;
  CgStop stop;
  double curvature;  ///< of `reduce`: p^T A p times scale^2
  double rz_before;
  double step;         ///< rounded to T
  CgStop stop_before;  ///< running: this iteration takes a step
};

/// Vectors and sums, in device memory. `told` is memory of the host, which the device writes.
template <class T>
struct Vectors {
  std::uint64_t n;
  const T *b, *inverse;  ///< inverse: null for no preconditioner
  T *x, *r, *p, *q;
  Sums *of_dot, *of_reduce;  ///< one for each block
  Progress* progress;
  unsigned long long* told;

  [[nodiscard]] __device__ T preconditioned(std::uint64_t i) const {
    return inverse == nullptr ? r[i] : inverse[i] * r[i];
  }
};

/// Iterations and stop in one word, so that the host reads both at once.
constexpr std::uint64_t told_word(std::uint64_t iterations, CgStop stop) {
  return iterations << 8 | static_cast<std::uint64_t>(stop);
}

// --- Sums, in an order that depends on n alone ---

__device__ inline Sums operator+(Sums a, Sums b) { return {a.first + b.first, a.second + b.second}; }

/// In all lanes of the warp.
__device__ inline Sums sum_over_warp(Sums value) {
#pragma unroll
  for (unsigned step = warp_size / 2; step > 0; step /= 2)
    value =
        value + Sums{__shfl_xor_sync(whole_warp, value.first, step), __shfl_xor_sync(whole_warp, value.second, step)};
  return value;
}

/// In all threads of the block. scratch: one for each lane of a warp.
__device__ inline Sums sum_over_block(Sums value, Sums* scratch) {
  constexpr unsigned warps = block_size / warp_size;
  const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  value = sum_over_warp(value);
  __syncthreads();  // the sum before may still use scratch
  if (lane == 0) scratch[warp] = value;
  __syncthreads();
  return sum_over_warp(lane < warps ? scratch[lane] : Sums{});
}

/// The sums over all blocks of a pass with the same grid as this one.
__device__ inline Sums total_of(const Sums* partial, Sums* scratch) {
  return sum_over_block(threadIdx.x < gridDim.x ? partial[threadIdx.x] : Sums{}, scratch);
}

/// Calls use(i, load(i)) for the elements of this thread, in their order. Loads two at once, before use() may store.
template <class Load, class Use>
__device__ void for_my_elements(std::uint64_t n, const Load& load, const Use& use) {
  constexpr unsigned at_once = 2;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * block_size;
  std::uint64_t i = std::uint64_t{blockIdx.x} * block_size + threadIdx.x;
  for (; i + (at_once - 1) * stride < n; i += at_once * stride) {
    decltype(load(i)) loaded[at_once];
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) loaded[k] = load(i + k * stride);
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) use(i + k * stride, loaded[k]);
  }
  for (; i < n; i += stride) use(i, load(i));
}

__device__ inline bool is_first_thread() { return blockIdx.x == 0 && threadIdx.x == 0; }

__device__ inline void leave(Sums* partial, Sums mine, Sums* scratch) {
  const Sums sums = sum_over_block(mine, scratch);
  if (threadIdx.x == 0) partial[blockIdx.x] = sums;
}

// --- Passes ---

/// The largest |b_i|, without NaNs: in `first` of each block.
template <class T>
__global__ void __launch_bounds__(block_size, 3) largest(Vectors<T> v) {
  __shared__ double scratch[warp_size];
  double most = 0;
  for_my_elements(
      v.n, [&](std::uint64_t i) { return static_cast<double>(v.b[i]); },
      [&](std::uint64_t, double b) { most = fmax(most, fabs(b)); });
  for (unsigned step = warp_size / 2; step > 0; step /= 2) most = fmax(most, __shfl_xor_sync(whole_warp, most, step));
  if (threadIdx.x % warp_size == 0) scratch[threadIdx.x / warp_size] = most;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned warp = 0; warp < block_size / warp_size; ++warp) most = fmax(most, scratch[warp]);
  v.of_dot[blockIdx.x] = {most, 0};
}

/// Elements of up to three vectors.
template <class T>
struct Three {
  T a, b, c;
};

/// Sums of a^T b times scale^2, and how many elements of b are not 0.
template <class T>
__global__ void __launch_bounds__(block_size, 3) dot(Vectors<T> v, const T* a, const T* b, double scale) {
  __shared__ Sums scratch[warp_size];
  Sums mine = {};
  for_my_elements(
      v.n,
      [&](std::uint64_t i) {
        return Three<T>{a[i], b[i], T(0)};
      },
      [&](std::uint64_t, Three<T> of) {
        mine.first += (scale * static_cast<double>(of.a)) * (scale * static_cast<double>(of.b));
        mine.second += of.b != T(0) ? 1 : 0;
      });
  leave(v.of_dot, mine, scratch);
}

/// The length of the step, from the sums of p^T q, in all threads. The first thread stores it for later passes.
template <class T>
__device__ CgStop find_step(const Vectors<T>& v, const CgRules<T>& rules, Sums* scratch, T& step) {
  Progress& progress = *v.progress;
  const Sums dots = total_of(v.of_dot, scratch);
  CgStop stop = progress.stop;
  if (stop == CgStop::running) {
    step = static_cast<T>(progress.rz / dots.first);
    stop = rules.of_curvature(dots.first, progress.rr, [&] { return dots.second == 0; });
    if (stop == CgStop::running && !std::isfinite(step)) stop = CgStop::not_finite;
    if (is_first_thread()) {
      progress.curvature = dots.first;
      progress.rz_before = progress.rz;
      progress.step = static_cast<double>(step);
    }
  }
  if (is_first_thread()) progress.stop_before = stop;
  return stop;
}

/// Adds up the sums of p^T q, then computes r -= step * q and the sums over the new r. At the start r = b - q.
template <class T, bool at_start>
__global__ void __launch_bounds__(block_size, 3) reduce(Vectors<T> v, CgRules<T> rules) {
  __shared__ Sums scratch[warp_size];
  T step = T(1);
  if (!at_start && find_step(v, rules, scratch, step) != CgStop::running) return;
  Sums mine = {};
  for_my_elements(
      v.n,
      [&](std::uint64_t i) {
        return Three<T>{at_start ? v.b[i] : v.r[i], v.q[i], v.inverse == nullptr ? T(0) : v.inverse[i]};
      },
      [&](std::uint64_t i, Three<T> of) {
        const T r = of.a - step * of.b;
        v.r[i] = r;
        const double scaled = rules.scale * static_cast<double>(r);
        mine.first += scaled * scaled;
        mine.second += scaled * (rules.scale * static_cast<double>(of.c * r));
      });
  leave(v.of_reduce, mine, scratch);
}

/// Stores the result of the iteration for later passes and for the host. Requires: the first thread calls it. Until the
/// stream has ended the host reads this word alone, so nothing has to be ordered. Only a stop is fenced, so that the
/// host sees it at once: a fence in each iteration would wait for the bus.
template <class T>
__device__ void tell(const Vectors<T>& v, CgStop stop) {
  v.progress->stop = stop;
  *static_cast<volatile unsigned long long*>(v.told) =
      v.progress->iterations << 8 | static_cast<unsigned long long>(stop);
  if (stop != CgStop::running) __threadfence_system();
}

/// Adds up the sums over r, then computes x += step * p and p = M^-1 r + turn * p. At the start p = M^-1 r.
template <class T, bool at_start>
__global__ void __launch_bounds__(block_size, 3) advance(Vectors<T> v, CgRules<T> rules) {
  __shared__ Sums scratch[warp_size];
  Progress& progress = *v.progress;
  if (!at_start && progress.stop_before != CgStop::running) {
    if (is_first_thread()) tell(v, progress.stop_before);
    return;
  }
  Sums sums = total_of(v.of_reduce, scratch);
  if (v.inverse == nullptr) sums.second = sums.first;
  const bool finite = std::isfinite(sums.first) && std::isfinite(sums.second);
  if (is_first_thread()) {
    progress.rr = sums.first;
    progress.rz = sums.second;
    if (!at_start && finite) ++progress.iterations;
    tell(v, rules.of_residual(sums.first, sums.second, progress.iterations));
  }
  if (!finite) return;  // x stays as it was
  const T step = at_start ? T(0) : static_cast<T>(progress.step);
  const T turn = at_start ? T(0) : static_cast<T>(sums.second / progress.rz_before);
  for_my_elements(
      v.n,
      [&](std::uint64_t i) {
        return Three<T>{v.preconditioned(i), at_start ? T(0) : v.p[i], v.x[i]};
      },
      [&](std::uint64_t i, Three<T> of) {
        if (!at_start) v.x[i] = of.c + step * of.b;
        v.p[i] = of.a + turn * of.b;
      });
}

}  // namespace spress::cuda::cg
