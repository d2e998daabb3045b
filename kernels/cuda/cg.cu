#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <type_traits>

#include "kernels/cuda/cg.hpp"
#include "kernels/cuda/device/check.cuh"
#include "kernels/cuda/device/graph.hpp"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/device/timing.hpp"

namespace spress::cuda {
namespace {

constexpr unsigned block_size = 512;
constexpr unsigned most_blocks = block_size;     ///< a thread of a block takes the sums of one block
constexpr std::uint64_t least_per_block = 1024;  ///< elements that are worth a block
constexpr std::uint64_t graphs_ahead = 8;        ///< sent before the first of them is known to have ended

/// What a block leaves of a pass.
struct Sums {
  double first, second;
};

/// What passes leave to each other. A field is written by the first block of one pass and read by later ones only.
struct Progress {
  double rr, rz;  ///< of `advance`: r^T r, r^T M^-1 r, both times scale^2
  std::uint64_t iterations;
  CgStop stop;
  double curvature;  ///< of `reduce`: p^T A p times scale^2
  double rz_before;
  double step;         ///< rounded to T
  CgStop stop_before;  ///< running: this iteration takes a step
};

/// All in device memory, but `told`, which the host sees.
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

/// Iterations and stop in one word, so that they are seen together.
constexpr std::uint64_t told_word(std::uint64_t iterations, CgStop stop) {
  return iterations << 8 | static_cast<std::uint64_t>(stop);
}

// --- Sums, in an order that hangs on n alone ---

__device__ Sums operator+(Sums a, Sums b) { return {a.first + b.first, a.second + b.second}; }

/// In all lanes of the warp.
__device__ Sums sum_over_warp(Sums value) {
#pragma unroll
  for (unsigned step = warp_size / 2; step > 0; step /= 2)
    value =
        value + Sums{__shfl_xor_sync(whole_warp, value.first, step), __shfl_xor_sync(whole_warp, value.second, step)};
  return value;
}

/// In all threads of the block. scratch: one for each lane of a warp.
__device__ Sums sum_over_block(Sums value, Sums* scratch) {
  constexpr unsigned warps = block_size / warp_size;
  const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  value = sum_over_warp(value);
  __syncthreads();  // scratch may be in use by the sum before
  if (lane == 0) scratch[warp] = value;
  __syncthreads();
  return sum_over_warp(lane < warps ? scratch[lane] : Sums{});
}

/// The sums of all blocks of a pass with the same grid as this one.
__device__ Sums total_of(const Sums* partial, Sums* scratch) {
  return sum_over_block(threadIdx.x < gridDim.x ? partial[threadIdx.x] : Sums{}, scratch);
}

/// Calls use(i, load(i)) for the elements of this thread, in their order; what several need is loaded at once, since
/// use() may store.
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

__device__ bool is_first_thread() { return blockIdx.x == 0 && threadIdx.x == 0; }

__device__ void leave(Sums* partial, Sums mine, Sums* scratch) {
  const Sums sums = sum_over_block(mine, scratch);
  if (threadIdx.x == 0) partial[blockIdx.x] = sums;
}

// --- Passes ---

/// The largest |b_i|, NaNs passed over: in `first` of each block.
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

/// How far to step, from the sums of p^T q, in all threads; the first one leaves it to the passes to come.
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

/// Takes the sums of p^T q, then r -= step * q and the sums over the new r; at the start r = b - q.
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

/// The first thread's: what the iteration came to, for the passes to come and for the host. The host reads this word
/// alone before the stream has ended, so there is nothing to order; but the end it shall see at once. A fence in each
/// iteration would wait for the bus.
template <class T>
__device__ void tell(const Vectors<T>& v, CgStop stop) {
  v.progress->stop = stop;
  *static_cast<volatile unsigned long long*>(v.told) =
      v.progress->iterations << 8 | static_cast<unsigned long long>(stop);
  if (stop != CgStop::running) __threadfence_system();
}

/// Takes the sums over r, then x += step * p; p = M^-1 r + turn * p; at the start p = M^-1 r.
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
  if (!finite) return;  // x stays the last good one
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

struct FreePinned {
  void operator()(void* memory) const { static_cast<void>(cudaFreeHost(memory)); }
};

}  // namespace

template <class T>
struct ConjugateGradient<T>::State {
  Vectors<T> v = {};
  CgRules<T> rules;
  unsigned grid = 0;
  DeviceMemory b, inverse, x, r, p, q, sums, progress;
  std::unique_ptr<unsigned long long, FreePinned> told;
  OwnedStream stream;
  Clock::time_point ended_at;  ///< when the device told of it
  bool started = false;
  CgStop stop = CgStop::running;
  Progress last = {};  ///< as it was when `run` ended

  Status allocate_all(std::span<const T> given_b, std::span<const T> given_inverse, std::span<const T> given_x);
  Status start(const Product<T>& product);
  Status add_iteration(const Product<T>& product, Stream on) const;
  Status replay(const Graph& graph, const std::function<bool()>& pause);
  Status check_alive(std::uint64_t sent) const;
  Status take_progress();
  Result<std::vector<Sums>> sums_of_dot() const;

  [[nodiscard]] std::uint64_t told_now() const {
    return std::atomic_ref<unsigned long long>(*told).load(std::memory_order_acquire);
  }
  [[nodiscard]] std::uint64_t told_iterations() const { return told_now() >> 8; }
  [[nodiscard]] CgStop told_stop() const { return static_cast<CgStop>(told_now() & 0xFF); }
};

template <class T>
Status ConjugateGradient<T>::State::allocate_all(std::span<const T> given_b, std::span<const T> given_inverse,
                                                 std::span<const T> given_x) {
  const std::uint64_t n = given_b.size(), bytes = n * sizeof(T);
  SPRESS_TRY(b, upload(given_b, "the right-hand side"));
  SPRESS_TRY(inverse, upload(given_inverse, "the preconditioner"));
  SPRESS_TRY(x, upload(given_x, "the solution"));
  SPRESS_TRY(r, allocate(bytes, "the residual"));
  SPRESS_TRY(p, allocate(bytes, "the direction"));
  SPRESS_TRY(q, allocate(bytes, "the product with the direction"));
  SPRESS_TRY(sums, allocate(2 * most_blocks * sizeof(Sums), "the sums of blocks"));
  SPRESS_TRY(progress, allocate(sizeof(Progress), "the progress of iterations"));
  void* pinned = nullptr;
  SPRESS_CUDA_TRY(cudaHostAlloc(&pinned, sizeof(unsigned long long), cudaHostAllocMapped));
  told.reset(static_cast<unsigned long long*>(pinned));
  void* seen_by_device = nullptr;
  SPRESS_CUDA_TRY(cudaHostGetDevicePointer(&seen_by_device, pinned, 0));
  SPRESS_TRY(stream, make_stream());
  grid = std::min(blocks_for(n, least_per_block), most_blocks);
  v = {n,
       b.template as<const T>(),
       inverse.template as<const T>(),
       x.template as<T>(),
       r.template as<T>(),
       p.template as<T>(),
       q.template as<T>(),
       sums.template as<Sums>(),
       sums.template as<Sums>() + most_blocks,
       progress.template as<Progress>(),
       static_cast<unsigned long long*>(seen_by_device)};
  return Ok{};
}

template <class T>
Result<std::vector<Sums>> ConjugateGradient<T>::State::sums_of_dot() const {
  SPRESS_CHECK(synchronize(stream.get()));
  return download<Sums>(sums, grid);
}

/// r = b - A x; p = M^-1 r.
template <class T>
Status ConjugateGradient<T>::State::start(const Product<T>& product) {
  started = true;
  *told = told_word(0, CgStop::running);
  SPRESS_CHECK(launch(largest<T>, grid, block_size, stream.get(), v));
  SPRESS_TRY(const auto most, sums_of_dot());
  double largest_of_b = 0;
  for (const Sums& block : most) largest_of_b = std::max(largest_of_b, block.first);
  rules.scale = cg_scale_for(largest_of_b);
  SPRESS_CHECK(launch(dot<T>, grid, block_size, stream.get(), v, v.b, v.b, rules.scale));
  SPRESS_TRY(const auto squares, sums_of_dot());
  double square = 0;
  for (const Sums& block : squares) square += block.first;
  rules.norm_b = std::sqrt(square);
  if (rules.norm_b == 0) {
    stop = CgStop::converged;
    *told = told_word(0, stop);
    return fill_bytes(v.x, 0, v.n * sizeof(T), stream.get());
  }
  SPRESS_CHECK(fill_bytes(v.progress, 0, sizeof(Progress), stream.get()));
  SPRESS_CHECK(product.multiply(v.x, v.q, stream.get()));
  SPRESS_CHECK(launch(reduce<T, true>, grid, block_size, stream.get(), v, rules));
  SPRESS_CHECK(launch(advance<T, true>, grid, block_size, stream.get(), v, rules));
  SPRESS_CHECK(synchronize(stream.get()));
  return Ok{};
}

template <class T>
Status ConjugateGradient<T>::State::add_iteration(const Product<T>& product, Stream on) const {
  SPRESS_CHECK(product.multiply(v.p, v.q, on));
  SPRESS_CHECK(launch(dot<T>, grid, block_size, on, v, v.p, v.q, rules.scale));
  SPRESS_CHECK(launch(reduce<T, false>, grid, block_size, on, v, rules));
  return launch(advance<T, false>, grid, block_size, on, v, rules);
}

/// An error where the device has stopped working on what it was sent, so that the host does not wait for ever.
template <class T>
Status ConjugateGradient<T>::State::check_alive(std::uint64_t sent) const {
  const cudaError_t code = cudaStreamQuery(stream.get());
  if (code == cudaErrorNotReady) {
    static_cast<void>(cudaGetLastError());
    return Ok{};
  }
  SPRESS_CUDA_TRY(code);
  if (told_stop() != CgStop::running || told_iterations() == sent) return Ok{};
  return Error{ErrorCode::unsupported, "the device ended iterations without telling how", {}, 0};
}

/// Sends graphs ahead until the device tells of a stop, or all that was sent before a pause has ended.
template <class T>
Status ConjugateGradient<T>::State::replay(const Graph& graph, const std::function<bool()>& pause) {
  std::uint64_t sent = told_iterations();
  bool pausing = false;
  while (told_stop() == CgStop::running) {
    pausing = pausing || (pause && pause());
    const std::uint64_t done = told_iterations();
    if (pausing && done == sent) break;
    if (!pausing && sent - done < graphs_ahead) {
      SPRESS_CHECK(graph.launch(stream.get()));
      ++sent;
    } else {
      SPRESS_CHECK(check_alive(sent));
    }
  }
  ended_at = Clock::now();
  stop = told_stop();
  return Ok{};
}

/// What was sent in vain has ended too when this returns.
template <class T>
Status ConjugateGradient<T>::State::take_progress() {
  SPRESS_CHECK(synchronize(stream.get()));
  return rules.norm_b == 0 ? Status(Ok{}) : copy_to_host(&last, v.progress, sizeof last);
}

template <class T>
ConjugateGradient<T>::ConjugateGradient(std::unique_ptr<State> state) : state_(std::move(state)) {}
template <class T>
ConjugateGradient<T>::ConjugateGradient(ConjugateGradient&&) noexcept = default;
template <class T>
ConjugateGradient<T>& ConjugateGradient<T>::operator=(ConjugateGradient&&) noexcept = default;
template <class T>
ConjugateGradient<T>::~ConjugateGradient() = default;

template <class T>
Result<ConjugateGradient<T>> ConjugateGradient<T>::make(std::span<const T> b, std::span<const T> inverse_diagonal,
                                                        std::span<const T> x, const CgOptions& options) {
  auto state = std::make_unique<State>();
  state->rules.options = options;
  SPRESS_CHECK(state->allocate_all(b, inverse_diagonal, x));
  return ConjugateGradient(std::move(state));
}

template <class T>
Result<CgStop> ConjugateGradient<T>::run(const Product<T>& product, const std::function<bool()>& pause) {
  State& s = *state_;
  SPRESS_CHECK(synchronize());  // uploads on the default stream, of vectors or the product's, may be on their way
  if (!s.started) SPRESS_CHECK(s.start(product));
  s.stop = s.told_stop();
  s.ended_at = Clock::now();
  if (s.stop == CgStop::running) {
    SPRESS_TRY(const Graph graph, Graph::capture([&](Stream captured) { return s.add_iteration(product, captured); }));
    const Status ended = s.replay(graph, pause);
    SPRESS_CHECK(synchronize(s.stream.get()));  // before the graph goes
    SPRESS_CHECK(ended);
  }
  SPRESS_CHECK(s.take_progress());
  return s.stop;
}

template <class T>
CgStop ConjugateGradient<T>::stop() const {
  return state_->stop;
}
template <class T>
std::uint64_t ConjugateGradient<T>::iterations() const {
  return state_->last.iterations;
}
template <class T>
double ConjugateGradient<T>::residual() const {
  const double norm_b = state_->rules.norm_b;
  return norm_b == 0 ? 0 : std::sqrt(state_->last.rr) / norm_b;
}
template <class T>
double ConjugateGradient<T>::curvature() const {
  return state_->last.curvature / state_->rules.scale / state_->rules.scale;
}
template <class T>
Clock::time_point ConjugateGradient<T>::ended_at() const {
  return state_->ended_at;
}
template <class T>
Result<std::vector<T>> ConjugateGradient<T>::solution() const {
  SPRESS_CHECK(synchronize(state_->stream.get()));
  return download<T>(state_->x, state_->v.n);
}

template <class T>
Result<double> ConjugateGradient<T>::seconds_of_product(const Product<T>& product) {
  constexpr int in_a_row = 10;
  const State& s = *state_;
  const auto multiply = [&](Stream on) { return product.multiply(s.v.p, s.v.q, on); };
  SPRESS_TRY(const Graph graph, Graph::capture(multiply, in_a_row));
  SPRESS_TRY(auto timer, EventTimer::make());
  double seconds = 0;
  for (int run = 0; run < 2; ++run) {  // the first warms up
    SPRESS_CHECK(timer.start(s.stream.get()));
    SPRESS_CHECK(graph.launch(s.stream.get()));
    SPRESS_TRY(seconds, timer.stop(s.stream.get()));
  }
  return seconds / in_a_row;
}

template class ConjugateGradient<float>;
template class ConjugateGradient<double>;

}  // namespace spress::cuda
