#include "pipeline/device/wire.hpp"

#ifdef SPRESS_WITH_CUDA

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "kernels/cuda/device/timing.hpp"
#include "kernels/cuda/device/transfer.hpp"
#include "kernels/reference.hpp"
#include "pipeline/device/chosen_product.hpp"
#include "pipeline/device/cuda_device.hpp"
#include "pipeline/measure/pairing.hpp"

namespace spress::pipeline {
namespace {

/// Calls use(host, device), which returns R, with both views of one format.
template <class R, class Use>
R with_both(const AnyView& host, const AnyView& device, Use&& use) {
  R result = Error{ErrorCode::unsupported, "no matrix"};
  std::visit(
      [&]<class View>(const View& seen) {
        if constexpr (!std::is_same_v<View, std::monostate>) result = use(seen, std::get<View>(device));
      },
      host);
  return result;
}

template <template <class> class F>
Result<cuda::Expansion> expand(const F<Viewed>& host, const F<Viewed>& device, const Csr<Viewed>& target,
                               std::size_t piece) {
  if constexpr (cuda::expandable<F>)
    return cuda::expansion<F>({host, device, target, piece});
  else
    return Error{ErrorCode::not_applicable, "the GPU does not expand " + std::string(F<Viewed>::name)};
}

template <template <class> class F>
bool is_expandable(const F<Viewed>&) {
  return cuda::expandable<F>;
}

/// The median of some batches of products, each of about a millisecond.
template <class T>
Result<double> median_seconds(const cuda::Product<T>& product, std::uint64_t rows, std::uint64_t cols) {
  const auto vector = test_vector<T>(cols);
  SPRESS_TRY(const auto x, cuda::upload(std::span<const T>(vector), "the vector x"));
  SPRESS_TRY(const auto y, cuda::allocate(rows * sizeof(T), "the vector y"));
  SPRESS_TRY(auto timer, cuda::EventTimer::make());
  const auto batch = [&](int runs) -> Result<double> {
    SPRESS_CHECK(timer.start());
    for (int i = 0; i < runs; ++i)
      SPRESS_CHECK(product.multiply(x.template as<const T>(), y.template as<T>(), nullptr));
    SPRESS_TRY(const double seconds, timer.stop());
    return seconds / runs;
  };
  SPRESS_CHECK(batch(2));  // to warm up
  SPRESS_TRY(const double once, batch(1));
  const int runs = static_cast<int>(std::clamp(1e-3 / std::max(once, 1e-7), 1.0, 200.0));
  std::vector<double> seconds;
  for (int i = 0; i < 9; ++i) {
    SPRESS_TRY(const double mean, batch(runs));
    seconds.push_back(mean);
  }
  return median(std::move(seconds));
}

template <class T, template <class> class F>
Result<double> seconds_of_product(const F<Viewed>& host, const F<Viewed>& device, const Spec& spec) {
  SPRESS_TRY(const auto product, chosen_product<T>(host, device, spec));
  auto seconds = median_seconds(product, host.rows, host.cols);
  if (seconds.ok() || seconds.error().code != ErrorCode::unsupported) return seconds;
  Error fault = seconds.error();
  fault.code = ErrorCode::damaged;  // what the device reports of a kernel, unlike what it says before
  return fault;
}

class GpuWire : public Wire {
 public:
  explicit GpuWire(cuda::Courier courier) : courier_(std::move(courier)) {}

  Result<std::unique_ptr<Wire>> another() override {
    SPRESS_TRY(auto courier, cuda::Courier::make());
    return std::unique_ptr<Wire>(std::make_unique<GpuWire>(std::move(courier)));
  }

  Result<std::shared_ptr<void>> host_memory(std::size_t bytes, HostMemory kind, std::string_view what) override {
    if (kind != HostMemory::pinned) {
      auto memory = std::make_shared<HostArray<std::uint8_t>>(bytes);
      return std::shared_ptr<void>(memory, memory->data());
    }
    SPRESS_TRY(auto pinned, cuda::allocate_pinned(bytes, what));
    auto memory = std::make_shared<cuda::PinnedMemory>(std::move(pinned));
    return std::shared_ptr<void>(memory, memory->data());
  }
  Result<std::shared_ptr<void>> device_memory(std::size_t bytes, std::string_view what) override {
    SPRESS_TRY(auto allocated, cuda::allocate(bytes, what));
    auto memory = std::make_shared<cuda::DeviceMemory>(std::move(allocated));
    return std::shared_ptr<void>(memory, memory->data());
  }

  Status send(std::span<const cuda::Copy> copies, HostMemory from) override {
    return courier_.send(copies, departure(from));
  }
  Status send(std::span<const cuda::TransferPiece> pieces, HostMemory from) override {
    return courier_.send(pieces, departure(from));
  }

  Status poison(void* device, std::size_t bytes) override {
    SPRESS_CHECK(cuda::fill_bytes(device, 0xFF, bytes));
    return cuda::synchronize();
  }
  Status fetch(void* host, const void* device, std::size_t bytes) override {
    return cuda::copy_to_host(host, device, bytes);
  }

  [[nodiscard]] bool expands(const AnyView& format) const override {
    return std::visit(
        []<class View>(const View& view) {
          if constexpr (std::is_same_v<View, std::monostate>)
            return false;
          else
            return is_expandable(view);
        },
        format);
  }
  Result<cuda::Expansion> expansion(const AnyView& host, const AnyView& device, const Csr<Viewed>& target,
                                    std::size_t piece) override {
    return with_both<Result<cuda::Expansion>>(
        host, device, [&](const auto& h, const auto& d) { return expand(h, d, target, piece); });
  }

  Result<double> product_seconds(const AnyView& host, const AnyView& device, const Spec& spec,
                                 ValueType type) override {
    return with_both<Result<double>>(host, device, [&](const auto& h, const auto& d) {
      return type == ValueType::f32 ? seconds_of_product<float>(h, d, spec) : seconds_of_product<double>(h, d, spec);
    });
  }

 private:
  static cuda::Departure departure(HostMemory from) {
    return from == HostMemory::staged ? cuda::Departure::staged : cuda::Departure::direct;
  }

  cuda::Courier courier_;
};

}  // namespace

Result<std::unique_ptr<Wire>> wire_to_gpu() {
  SPRESS_CHECK(check_cuda());
  SPRESS_TRY(auto courier, cuda::Courier::make());
  return std::unique_ptr<Wire>(std::make_unique<GpuWire>(std::move(courier)));
}

}  // namespace spress::pipeline

#else

namespace spress::pipeline {

Result<std::unique_ptr<Wire>> wire_to_gpu() {
  return Error{ErrorCode::unsupported,
               "this build has no way to a GPU: configure with -DSPRESS_CUDA=ON where a CUDA compiler is"};
}

}  // namespace spress::pipeline

#endif
