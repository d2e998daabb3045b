#include "pipeline/solve/solve_device.hpp"

#ifdef SPRESS_WITH_CUDA

#include <algorithm>
#include <span>

#include "kernels/cuda/cg.hpp"
#include "kernels/cuda/matrix.hpp"
#include "kernels/cuda/spmv.hpp"
#include "pipeline/device/cuda_part.hpp"
#include "pipeline/device/row_pieces.hpp"

namespace spress::pipeline {
namespace {

/// What a kernel met is a fault of ours, unlike what the device says before one is launched.
Status of_kernel(Status status) {
  if (!status.ok() && status.error().code != ErrorCode::too_large) status.error().code = ErrorCode::damaged;
  return status;
}

template <class T>
struct CudaMatrix : PlacedMatrix {
  std::shared_ptr<const void> memory;  ///< whatever the product reads
  cuda::Product<T> product;
};

template <class T>
const cuda::Product<T>& product_of(const PlacedMatrix& a) {
  return static_cast<const CudaMatrix<T>&>(a).product;
}

template <class T>
class CudaSolver : public Solver<T> {
 public:
  CudaSolver(cuda::ConjugateGradient<T> solver, double transfer_seconds)
      : solver_(std::move(solver)), transfer_seconds_(transfer_seconds) {}

  Status run(const PlacedMatrix& a, int, const std::function<bool()>& pause) override {
    const std::uint64_t before = solver_.iterations();
    const auto stop = solver_.run(product_of<T>(a), pause);
    SPRESS_CHECK(of_kernel(stop.ok() ? Status(Ok{}) : Status(stop.error())));
    runs_.push_back({&a, solver_.iterations() - before});
    return Ok{};
  }

  [[nodiscard]] CgStop stop() const override { return solver_.stop(); }
  [[nodiscard]] std::uint64_t iterations() const override { return solver_.iterations(); }
  [[nodiscard]] double residual() const override { return solver_.residual(); }
  [[nodiscard]] Clock::time_point ended_at() const override { return solver_.ended_at(); }
  [[nodiscard]] Result<ProductTimes> product_times() override {
    ProductTimes times;
    for (const Run& run : runs_) {
      SPRESS_TRY(times.mean_seconds, solver_.seconds_of_product(product_of<T>(*run.matrix)));
      times.total_seconds += times.mean_seconds * static_cast<double>(run.iterations);
    }
    return times;
  }
  [[nodiscard]] double transfer_seconds() const override { return transfer_seconds_; }
  [[nodiscard]] Result<std::vector<T>> solution() override { return solver_.solution(); }

 private:
  struct Run {
    const PlacedMatrix* matrix;
    std::uint64_t iterations;
  };
  cuda::ConjugateGradient<T> solver_;
  double transfer_seconds_;
  std::vector<Run> runs_;
};

template <class T>
class CudaSolveDevice : public SolveDevice<T> {
 public:
  Result<std::unique_ptr<PlacedMatrix>> place(const AnyFormat& a, const Spec& spec) override {
    const auto start = Clock::now();
    auto placed = std::make_unique<CudaMatrix<T>>();
    SPRESS_TRY(auto uploaded, upload_any<T>(a, spec));
    SPRESS_CHECK(cuda::synchronize());
    placed->memory = std::move(uploaded.memory);
    placed->product = std::move(uploaded.product);
    placed->kernel = placed->product.kernel;
    placed->transfer_seconds = seconds_since(start);
    return std::unique_ptr<PlacedMatrix>(std::move(placed));
  }

  Result<std::unique_ptr<PlacedMatrix>> place_in(const Csr<Viewed>& a, const Spec& spec,
                                                 std::uint64_t budget) override {
    SPRESS_TRY(auto made, rows_in_pieces<T>(a, spec, budget));
    auto placed = std::make_unique<CudaMatrix<T>>();
    placed->product = std::move(made.streamed.product);
    placed->kernel = placed->product.kernel;
    placed->transfer_seconds = made.transfer_seconds;
    placed->encode_seconds = made.encode_seconds;
    placed->total_bytes = made.streamed.bytes;
    placed->streamed_bytes = made.streamed.streamed_bytes;
    return std::unique_ptr<PlacedMatrix>(std::move(placed));
  }

  Status join(const MatrixPart& part) override {
    links_.reset();  // before the new ones, as on all ranks
    SPRESS_TRY(links_, link_gpus<T>(part));
    return Ok{};
  }

  Result<std::unique_ptr<PlacedMatrix>> place_part(EncodedPart a, GhostExchange<T>&) override {
    const auto start = Clock::now();
    auto placed = std::make_unique<CudaMatrix<T>>();
    SPRESS_TRY(placed->product, part_product<T>(a, links_));
    placed->kernel = placed->product.kernel;
    placed->transfer_seconds = seconds_since(start);
    return std::unique_ptr<PlacedMatrix>(std::move(placed));
  }

  Result<std::unique_ptr<Solver<T>>> begin(const Iteration<T>& i) override {
    const auto start = Clock::now();
    SPRESS_TRY(auto solver,
               cuda::ConjugateGradient<T>::make(std::span<const T>(i.b), std::span<const T>(i.inverse_diagonal),
                                                std::span<const T>(i.start), i.options, {links_, i.parts}));
    return std::unique_ptr<Solver<T>>(std::make_unique<CudaSolver<T>>(std::move(solver), seconds_since(start)));
  }

  /// One sends iterations to the device.
  [[nodiscard]] int threads_beside(int threads) const override { return std::max(1, threads - 1); }

 private:
  std::shared_ptr<cuda::PartLinks<T>> links_;
};

}  // namespace

template <class T>
Result<std::unique_ptr<SolveDevice<T>>> cuda_solve_device() {
  SPRESS_CHECK(check_device(DeviceKind::cuda));
  return std::unique_ptr<SolveDevice<T>>(std::make_unique<CudaSolveDevice<T>>());
}

#else

namespace spress::pipeline {

template <class T>
Result<std::unique_ptr<SolveDevice<T>>> cuda_solve_device() {
  SPRESS_CHECK(check_device(DeviceKind::cuda));
  return Error{ErrorCode::unsupported, "this build has no solver on the GPU"};
}

#endif

template Result<std::unique_ptr<SolveDevice<float>>> cuda_solve_device();
template Result<std::unique_ptr<SolveDevice<double>>> cuda_solve_device();

}  // namespace spress::pipeline
