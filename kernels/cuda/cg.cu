#include <algorithm>
#include <atomic>
#include <cmath>

#include "kernels/cuda/cg.hpp"
#include "kernels/cuda/cg_passes.cuh"
#include "kernels/cuda/device/check.cuh"
#include "kernels/cuda/device/graph.hpp"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/device/timing.hpp"

namespace spress::cuda {
namespace {

using namespace cg;

constexpr std::uint64_t graphs_ahead = 8;  ///< iterations that are queued before the first of them has ended

struct FreePinned {
  void operator()(void* memory) const { static_cast<void>(cudaFreeHost(memory)); }
};

}  // namespace

template <class T>
struct ConjugateGradient<T>::State {
  Vectors<T> v = {};
  CgRules<T> rules;
  CgLinks<T> with;
  unsigned grid = 0;
  DeviceMemory b, inverse, x, r, p, q, sums, progress;
  std::unique_ptr<unsigned long long, FreePinned> told;
  OwnedStream stream;
  Clock::time_point ended_at;  ///< when the host saw the end
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
  Status over_parts(Sums* of_blocks, Stream on) const;
  Status agree(Status mine) const;
  Result<std::vector<Sums>> sums_after(const Status& launched) const;
  Status send_ahead(const Graph& graph, const std::function<bool()>& pause, std::uint64_t& sent);

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
  if (with.links) grid = std::max(grid, 1u);  // also a part without rows decides when to stop
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

/// An error where any part has one: asked before all do something together.
template <class T>
Status ConjugateGradient<T>::State::agree(Status mine) const {
  if (!with.links || with.parts.largest(mine.ok() ? 0 : 1) == 0 || !mine.ok()) return mine;
  return Error{ErrorCode::unsupported, "the GPU of another process met an error"};
}

/// The sums that a pass leaves, on the host. Errors: of any part, on all.
template <class T>
Result<std::vector<Sums>> ConjugateGradient<T>::State::sums_after(const Status& launched) const {
  auto sums = launched.ok() ? sums_of_dot() : Result<std::vector<Sums>>(launched.error());
  SPRESS_CHECK(agree(sums.ok() ? Status(Ok{}) : Status(sums.error())));
  return sums;
}

/// Makes the sums of all blocks of a pass those of all parts.
template <class T>
Status ConjugateGradient<T>::State::over_parts(Sums* of_blocks, Stream on) const {
  return with.links ? with.links->add_up(&of_blocks->first, grid, on) : Status(Ok{});
}

/// r = b - A x; p = M^-1 r.
template <class T>
Status ConjugateGradient<T>::State::start(const Product<T>& product) {
  started = true;
  *told = told_word(0, CgStop::running);
  SPRESS_TRY(const auto most, sums_after(launch(largest<T>, grid, block_size, stream.get(), v)));
  double largest_of_b = 0;
  for (const Sums& block : most) largest_of_b = std::max(largest_of_b, block.first);
  if (with.links) largest_of_b = with.parts.largest(largest_of_b);
  rules.scale = cg_scale_for(largest_of_b);
  SPRESS_TRY(const auto squares, sums_after(launch(dot<T>, grid, block_size, stream.get(), v, v.b, v.b, rules.scale)));
  double square = 0;
  for (const Sums& block : squares) square += block.first;
  if (with.links) with.parts.add_up(std::span(&square, 1));
  rules.norm_b = std::sqrt(square);
  if (rules.norm_b == 0) {
    stop = CgStop::converged;
    *told = told_word(0, stop);
    return fill_bytes(v.x, 0, v.n * sizeof(T), stream.get());
  }
  SPRESS_CHECK(fill_bytes(v.progress, 0, sizeof(Progress), stream.get()));
  SPRESS_CHECK(product.multiply(v.x, v.q, stream.get()));
  SPRESS_CHECK(launch(reduce<T, true>, grid, block_size, stream.get(), v, rules));
  SPRESS_CHECK(over_parts(v.of_reduce, stream.get()));
  SPRESS_CHECK(launch(advance<T, true>, grid, block_size, stream.get(), v, rules));
  SPRESS_CHECK(synchronize(stream.get()));
  return Ok{};
}

template <class T>
Status ConjugateGradient<T>::State::add_iteration(const Product<T>& product, Stream on) const {
  SPRESS_CHECK(product.multiply(v.p, v.q, on));
  SPRESS_CHECK(launch(dot<T>, grid, block_size, on, v, v.p, v.q, rules.scale));
  SPRESS_CHECK(over_parts(v.of_dot, on));
  SPRESS_CHECK(launch(reduce<T, false>, grid, block_size, on, v, rules));
  SPRESS_CHECK(over_parts(v.of_reduce, on));
  return launch(advance<T, false>, grid, block_size, on, v, rules);
}

/// An error where the device has stopped without a result, so that the host does not wait for ever.
template <class T>
Status ConjugateGradient<T>::State::check_alive(std::uint64_t sent) const {
  const cudaError_t code = cudaStreamQuery(stream.get());
  if (code == cudaErrorNotReady) {
    static_cast<void>(cudaGetLastError());
    return Ok{};
  }
  SPRESS_CUDA_TRY(code);
  if (told_stop() != CgStop::running || told_iterations() == sent) return Ok{};
  return Error{ErrorCode::unsupported, "the device ended iterations without telling how"};
}

/// Queues iterations ahead until the device reports a stop, or until all that were queued before a pause have ended.
template <class T>
Status ConjugateGradient<T>::State::send_ahead(const Graph& graph, const std::function<bool()>& pause,
                                               std::uint64_t& sent) {
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

/// Iterations wait for those of other parts, also iterations behind the end: all parts send as many.
template <class T>
Status ConjugateGradient<T>::State::replay(const Graph& graph, const std::function<bool()>& pause) {
  std::uint64_t sent = told_iterations();
  const Status ended = send_ahead(graph, pause, sent);
  if (!with.links) return ended;
  const auto most = static_cast<std::uint64_t>(with.parts.largest(static_cast<double>(sent)));
  SPRESS_CHECK(ended);
  for (; sent < most; ++sent) SPRESS_CHECK(graph.launch(stream.get()));
  return Ok{};
}

/// Waits for all queued iterations, also those after the stop, and reads the progress.
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
                                                        std::span<const T> x, const CgOptions& options,
                                                        CgLinks<T> links) {
  auto state = std::make_unique<State>();
  state->rules.options = options;
  state->with = std::move(links);
  SPRESS_CHECK(state->allocate_all(b, inverse_diagonal, x));
  return ConjugateGradient(std::move(state));
}

template <class T>
Result<CgStop> ConjugateGradient<T>::run(const Product<T>& product, const std::function<bool()>& pause) {
  State& s = *state_;
  SPRESS_CHECK(
      s.agree(synchronize()));  // uploads on the default stream, of vectors or the product's, may be on their way
  if (!s.started) SPRESS_CHECK(s.agree(s.start(product)));
  s.stop = s.told_stop();
  s.ended_at = Clock::now();
  if (s.stop == CgStop::running) {
    auto captured = Graph::capture([&](Stream on) { return s.add_iteration(product, on); });
    SPRESS_CHECK(s.agree(captured.ok() ? Status(Ok{}) : Status(captured.error())));
    const Graph graph = std::move(captured).value();
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
  constexpr int in_a_row = 10, most_launches = 20;
  constexpr double enough_seconds = 1;  // of products that a matrix larger than the device comes through in
  const State& s = *state_;
  const auto multiply = [&](Stream on) { return product.multiply(s.v.p, s.v.q, on); };
  SPRESS_TRY(const Graph graph, Graph::capture(multiply, in_a_row));
  SPRESS_TRY(auto timer, EventTimer::make());
  const auto time = [&](int launches) -> Result<double> {
    SPRESS_CHECK(timer.start(s.stream.get()));
    for (int i = 0; i < launches; ++i) SPRESS_CHECK(graph.launch(s.stream.get()));
    SPRESS_TRY(const double seconds, timer.stop(s.stream.get()));
    return seconds / (launches * in_a_row);
  };
  SPRESS_TRY(const double first, time(1));  // warms up
  const double fit = enough_seconds / std::max(first * in_a_row, 1e-9);
  return time(static_cast<int>(std::clamp(fit, 1.0, 1.0 * most_launches)));
}

template class ConjugateGradient<float>;
template class ConjugateGradient<double>;

}  // namespace spress::cuda
