#include "pipeline/solve/solve_device.hpp"

#include <algorithm>

#include "kernels/cg.hpp"
#include "kernels/cpu/spmv.hpp"

namespace spress::pipeline {
namespace {

template <class T>
struct CpuMatrix : PlacedMatrix {
  ThreadedProduct<T> multiply;
};

template <class T>
struct CpuPart : CpuMatrix<T> {
  CpuPart(EncodedPart encoded, GhostExchange<T>& exchange)
      : a(std::move(encoded)), ghosts(exchange), waited_before(exchange.waited_seconds()) {
    this->multiply = [this](const T* x, T* y, int threads) { pipeline::multiply(a, ghosts, x, y, threads); };
  }
  [[nodiscard]] double waited_seconds() const override { return ghosts.waited_seconds() - waited_before; }

  EncodedPart a;
  GhostExchange<T>& ghosts;
  double waited_before;
};

template <class T>
class CpuSolver : public Solver<T> {
 public:
  explicit CpuSolver(const Iteration<T>& i)
      : x_(i.start),
        solver_(i.b.size(), i.b.data(), i.inverse_diagonal.empty() ? nullptr : i.inverse_diagonal.data(), x_.data(),
                i.options, i.parts) {}

  Status run(const PlacedMatrix& a, int threads, const std::function<bool()>& pause) override {
    const auto& multiply = static_cast<const CpuMatrix<T>&>(a).multiply;
    const auto timed = [&](const T* x, T* y) {
      const auto start = Clock::now();
      multiply(x, y, threads);
      product_seconds_ += seconds_since(start);
      ++products_;
    };
    solver_.run(timed, threads, pause);
    ended_at_ = Clock::now();
    return Ok{};
  }

  [[nodiscard]] CgStop stop() const override { return solver_.stop(); }
  [[nodiscard]] std::uint64_t iterations() const override { return solver_.iterations(); }
  [[nodiscard]] double residual() const override { return solver_.residual(); }
  [[nodiscard]] Clock::time_point ended_at() const override { return ended_at_; }
  [[nodiscard]] Result<ProductTimes> product_times() override {
    return ProductTimes{product_seconds_, product_seconds_ / static_cast<double>(products_)};
  }
  [[nodiscard]] double transfer_seconds() const override { return reports::not_measured; }
  [[nodiscard]] Result<std::vector<T>> solution() override { return x_; }

 private:
  std::vector<T> x_;
  ConjugateGradient<T> solver_;
  Clock::time_point ended_at_;
  double product_seconds_ = 0;
  std::uint64_t products_ = 0;
};

template <class T>
class CpuSolveDevice : public SolveDevice<T> {
 public:
  Result<std::unique_ptr<PlacedMatrix>> place(const AnyFormat& a, const Spec& spec) override {
    SPRESS_CHECK(check_cpu_product(spec));
    return placed_product<T>([&a](const T* x, T* y, int threads) {
      with_any(a, [&](const auto& f) { cpu::spmv<T>(view_of(f), x, y, threads); });
    });
  }
  Result<std::unique_ptr<PlacedMatrix>> place_part(EncodedPart a, GhostExchange<T>& exchange) override {
    SPRESS_CHECK(check_cpu_product(a.spec));
    return std::unique_ptr<PlacedMatrix>(std::make_unique<CpuPart<T>>(std::move(a), exchange));
  }
  Result<std::unique_ptr<Solver<T>>> begin(const Iteration<T>& iteration) override {
    return std::unique_ptr<Solver<T>>(std::make_unique<CpuSolver<T>>(iteration));
  }
  [[nodiscard]] int threads_beside(int threads) const override { return std::max(1, threads / 2); }
};

}  // namespace

template <class T>
std::unique_ptr<PlacedMatrix> placed_product(ThreadedProduct<T> product) {
  auto placed = std::make_unique<CpuMatrix<T>>();
  placed->multiply = std::move(product);
  return placed;
}
template std::unique_ptr<PlacedMatrix> placed_product(ThreadedProduct<float>);
template std::unique_ptr<PlacedMatrix> placed_product(ThreadedProduct<double>);

template <class T>
std::unique_ptr<SolveDevice<T>> cpu_solve_device() {
  return std::make_unique<CpuSolveDevice<T>>();
}
template std::unique_ptr<SolveDevice<float>> cpu_solve_device();
template std::unique_ptr<SolveDevice<double>> cpu_solve_device();

template <class T>
Result<std::unique_ptr<SolveDevice<T>>> solve_device(DeviceKind kind) {
  if (kind == DeviceKind::cuda) return cuda_solve_device<T>();
  return cpu_solve_device<T>();
}
template Result<std::unique_ptr<SolveDevice<float>>> solve_device(DeviceKind);
template Result<std::unique_ptr<SolveDevice<double>>> solve_device(DeviceKind);

}  // namespace spress::pipeline
