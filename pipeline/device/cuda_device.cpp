#include "pipeline/device/cuda_device.hpp"

#ifdef SPRESS_WITH_CUDA

#include <fstream>
#include <span>

#include "formats/core/clock.hpp"
#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/graph.hpp"
#include "kernels/cuda/device/profiler.hpp"
#include "kernels/cuda/device/timing.hpp"
#include "kernels/cuda/matrix.hpp"
#include "kernels/cuda/peers/cusparse.hpp"
#include "pipeline/device/chosen_product.hpp"
#include "pipeline/device/row_pieces.hpp"

namespace spress::pipeline {
namespace {

// A launch takes the host some microseconds, and no two hosts as many: so what takes less than a few hundred of them is
// timed several in a row, sent to the device as one graph while it is kept busy.
constexpr double shortest = 500e-6, batch_time = 1e-3, time_to_launch = 30e-6;

/// What the device reports once a kernel was launched is a fault, unlike what it reports before.
Status of_kernel(Status status) {
  if (!status.ok() && status.error().code == ErrorCode::unsupported) status.error().code = ErrorCode::damaged;
  return status;
}

/// A device takes no more work of this process once a kernel has met a fault, whatever is asked of it: that is told as
/// what it is, and not as something that the device cannot do.
Status no_earlier_fault() {
  Status status = of_kernel(cuda::synchronize());
  if (!status.ok()) status.error().message = "the device stopped at an earlier fault: " + status.error().message;
  return status;
}

template <template <class> class F>
using SharedMatrix = std::shared_ptr<const cuda::DeviceMatrix<F>>;

template <template <class> class F>
Result<SharedMatrix<F>> upload_shared(const F<Viewed>& a) {
  SPRESS_CHECK(no_earlier_fault());
  SPRESS_TRY(auto uploaded, cuda::upload(a));
  return SharedMatrix<F>(std::make_shared<cuda::DeviceMatrix<F>>(std::move(uploaded)));
}

Result<std::function<Status()>> graph_of(const std::function<Status(cuda::Stream)>& launch, int runs) {
  SPRESS_TRY(auto graph, cuda::Graph::capture(launch, runs));
  return std::function<Status()>([held = std::make_shared<cuda::Graph>(std::move(graph))] { return held->launch(); });
}

/// A product that keeps the matrix on the device for as long as it lives.
template <class T, template <class> class F>
DeviceProduct<T> keeping(const SharedMatrix<F>& matrix, cuda::Product<T> product) {
  DeviceProduct<T> out;
  out.kernel = product.kernel;
  out.repeatable = product.repeatable;
  out.multiply = [matrix, multiply = product.multiply](const T* x, T* y) { return multiply(x, y, nullptr); };
  out.in_a_row = [matrix, multiply = std::move(product.multiply)](const T* x, T* y, int runs) {
    return graph_of([&](cuda::Stream stream) { return multiply(x, y, stream); }, runs);
  };
  return out;
}

template <class T, template <class> class F>
Result<DeviceProduct<T>> upload_product(const F<Viewed>& a, const Spec& spec) {
  SPRESS_TRY(const auto matrix, upload_shared(a));
  SPRESS_TRY(auto product, chosen_product<T>(a, matrix->view, spec));
  return keeping<T, F>(matrix, std::move(product));
}

template <class T>
Result<DeviceProduct<T>> upload_to_cusparse(const std::string& name, const Csr<Viewed>& a, int threads) {
  SPRESS_CHECK(cuda::cusparse::version());  // loads the library, which is no part of any preparation
  SPRESS_TRY(const auto matrix, upload_shared(a));
  const auto start = Clock::now();
  SPRESS_TRY(auto peer, cuda::cusparse::prepare<T>(name, a, matrix->view, threads));
  SPRESS_CHECK(cuda::synchronize());
  auto product = keeping<T, Csr>(matrix, std::move(peer.product));
  product.seconds = seconds_since(start);
  product.total_bytes = peer.total_bytes;
  return product;
}

std::vector<Peer> cuda_peers() {
  std::vector<Peer> out;
  for (const std::string& name : cuda::cusparse::built_names())
    out.push_back({name,
                   [name](const Csr<Viewed>& a, int threads) { return upload_to_cusparse<double>(name, a, threads); },
                   [name](const Csr<Viewed>& a, int threads) { return upload_to_cusparse<float>(name, a, threads); }});
  return out;
}

template <class T>
class CudaDevice : public ProductDevice<T> {
 public:
  Status place(std::vector<T> x, std::uint64_t rows) override {
    result_.resize(rows);
    SPRESS_TRY(x_, cuda::upload(std::span<const T>(x), "the vector x"));
    SPRESS_TRY(y_, cuda::allocate(rows * sizeof(T), "the vector y"));
    SPRESS_TRY(y_baseline_, cuda::allocate(rows * sizeof(T), "the vector y of the baseline"));
    return Ok{};
  }

  Result<DeviceProduct<T>> prepare(const AnyView& a, const Spec& spec) override {
    return std::visit([&](const auto& view) { return prepared(view, spec); }, a);
  }

  Result<DeviceProduct<T>> prepare_in(const Csr<Viewed>& a, const Spec& spec, std::uint64_t budget) override {
    SPRESS_CHECK(no_earlier_fault());
    SPRESS_TRY(auto made, rows_in_pieces<T>(a, spec, budget));
    auto& [product, bytes, streamed_bytes] = made.streamed;
    DeviceProduct<T> out;
    out.kernel = product.kernel;
    out.repeatable = product.repeatable;
    out.total_bytes = bytes;
    out.streamed_bytes = streamed_bytes;
    out.seconds = made.encode_seconds;
    out.multiply = [multiply = std::move(product.multiply)](const T* x, T* y) { return multiply(x, y, nullptr); };
    return out;
  }

  Status run(const DeviceProduct<T>& product) override { return of_kernel(poison_and_run(product)); }

  Result<PairedTimes> time(const DeviceProduct<T>& baseline, const DeviceProduct<T>& candidate,
                           const Pairing& given) override {
    SPRESS_TRY(auto timer, cuda::EventTimer::make());
    Status failure = Ok{}, refusal = Ok{};
    Pairing how = given;
    how.shortest = shortest;
    how.batch_time = batch_time;
    how.stopwatch = [&](const std::function<void()>& run, int runs) { return seconds_of(run, runs, timer, failure); };
    const auto times =
        time_pairs(timed(baseline, y_baseline_, failure, refusal), timed(candidate, y_, failure, refusal), how);
    SPRESS_CHECK(of_kernel(std::move(failure)));
    SPRESS_CHECK(std::move(refusal));
    return times;
  }

  Result<const T*> last_result() override {
    SPRESS_CHECK(of_kernel(cuda::copy_to_host(result_.data(), y_.data(), result_.size() * sizeof(T))));
    return static_cast<const T*>(result_.data());
  }
  [[nodiscard]] int runs_to_judge() const override { return 3; }

 private:
  static Result<DeviceProduct<T>> prepared(std::monostate, const Spec&) { return DeviceProduct<T>(); }
  template <template <class> class F>
  static Result<DeviceProduct<T>> prepared(const F<Viewed>& a, const Spec& spec) {
    return upload_product<T>(a, spec);
  }

  Status poison_and_run(const DeviceProduct<T>& product) {
    SPRESS_CHECK(cuda::fill_bytes(y_.data(), 0xFF, y_.bytes()));
    const cuda::ProfilerRange range(product.kernel);
    SPRESS_CHECK(product.multiply(x_.template as<T>(), y_.template as<T>()));
    return cuda::synchronize();
  }

  /// Once something failed, nothing is launched any more, and no time has a meaning. refusal: of what cannot be sent as
  /// a graph, which is no fault of a kernel. All given outlive what is returned.
  Timed timed(const DeviceProduct<T>& product, const cuda::DeviceMemory& y, Status& failure, Status& refusal) const {
    const T* from = x_.template as<T>();
    T* to = y.as<T>();
    Timed out;
    out.run = [&product, &failure, from, to] {
      if (failure.ok()) failure = product.multiply(from, to);
    };
    if (!product.in_a_row) return out;
    out.in_a_row = [&product, &failure, &refusal, from, to](int runs) -> std::function<void()> {
      if (!failure.ok() || !refusal.ok()) return [] {};
      auto all = product.in_a_row(from, to, runs);
      if (!all.ok()) {
        refusal = all.error();
        return [] {};
      }
      return [&failure, &refusal, all = std::move(*all)] {
        if (failure.ok() && refusal.ok()) failure = all();
      };
    };
    return out;
  }

  static double seconds_of(const std::function<void()>& run, int runs, cuda::EventTimer& timer, Status& failure) {
    if (failure.ok()) failure = cuda::keep_busy(time_to_launch);
    if (failure.ok()) failure = timer.start();
    for (int i = 0; i < runs && failure.ok(); ++i) run();
    if (!failure.ok()) return 1;
    const auto seconds = timer.stop();
    if (!seconds.ok()) failure = seconds.error();
    return seconds.ok() ? *seconds : 1;
  }

  cuda::DeviceMemory x_, y_, y_baseline_;
  std::vector<T> result_;
};

/// "580.65.06" of the driver's own file, or nothing.
std::string driver_release() {
  std::ifstream in("/proc/driver/nvidia/version");
  for (std::string word; in >> word;)
    if (word.find_first_not_of("0123456789.") == std::string::npos && word.find('.') != std::string::npos) return word;
  return {};
}

std::string driver_text(int cuda_version) {
  const std::string cuda =
      "CUDA " + std::to_string(cuda_version / 1000) + "." + std::to_string(cuda_version % 1000 / 10);
  const std::string release = driver_release();
  return release.empty() ? cuda : release + ", " + cuda;
}

}  // namespace

Status check_cuda() {
  const auto info = cuda::device_info();
  if (info.ok()) return Ok{};
  return Error{ErrorCode::unsupported, "there is no GPU to use: " + info.error().message};
}

Result<Device> cuda_device() {
  SPRESS_CHECK(check_cuda());
  SPRESS_TRY(const auto info, cuda::device_info());
  Device device;
  device.kind = DeviceKind::cuda;
  device.name = info.name;
  device.make_double = [](int) { return std::make_unique<CudaDevice<double>>(); };
  device.make_float = [](int) { return std::make_unique<CudaDevice<float>>(); };
  device.peers = cuda_peers();
  return device;
}

void describe_cuda(reports::MachineRecord& record) {
  const auto info = cuda::device_info();
  if (!info.ok()) return;
  record.device = info->name;
  record.driver = driver_text(info->driver_version);
  record.instruction_set = "sm_" + std::to_string(info->compute_capability);
  record.last_level_cache_bytes = info->l2_bytes;
}

double cuda_copy_bandwidth() {
  const auto info = cuda::device_info();
  if (!info.ok()) return reports::not_measured;
  const std::size_t bytes = std::min<std::size_t>(std::size_t{1} << 30, info->memory_free / 4);
  const auto bandwidth = cuda::measure_copy_bandwidth(bytes);
  return bandwidth.ok() ? 1e-9 * *bandwidth : reports::not_measured;
}

}  // namespace spress::pipeline

#else

namespace spress::pipeline {
namespace {

Error no_cuda() {
  return {ErrorCode::unsupported,
          "this build has no products on the GPU: configure with -DSPRESS_CUDA=ON where a CUDA compiler is, or use the "
          "CPU"};
}

}  // namespace

Status check_cuda() { return no_cuda(); }
Result<Device> cuda_device() { return no_cuda(); }
void describe_cuda(reports::MachineRecord&) {}
double cuda_copy_bandwidth() { return reports::not_measured; }

}  // namespace spress::pipeline

#endif
