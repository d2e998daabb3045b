#include "pipeline/device/device.hpp"

#include <algorithm>
#include <cstring>

#include "encode/shared/any.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/peers/peer.hpp"
#include "pipeline/device/cuda_device.hpp"

namespace spress::pipeline {
namespace {

template <class T>
class CpuDevice : public ProductDevice<T> {
 public:
  explicit CpuDevice(int threads) : threads_(threads) {}

  Status place(std::vector<T> x, std::uint64_t rows) override {
    x_ = std::move(x);
    y_.resize(rows);
    y_baseline_.resize(rows);
    return Ok{};
  }

  Result<DeviceProduct<T>> prepare(const AnyView& a, const Spec& spec) override {
    SPRESS_CHECK(check_cpu_product(spec));
    DeviceProduct<T> product;
    std::visit([&](const auto& view) { bind(product, view); }, a);
    return product;
  }

  Status run(const DeviceProduct<T>& product) override {
    if (!y_.empty()) std::memset(y_.data(), 0xFF, y_.size() * sizeof(T));
    return product.multiply(x_.data(), y_.data());
  }

  Result<PairedTimes> time(const DeviceProduct<T>& baseline, const DeviceProduct<T>& candidate,
                           const Pairing& how) override {
    Status first_failure = Ok{};
    const auto once = [&](const DeviceProduct<T>& product, std::vector<T>& y) {
      if (auto status = product.multiply(x_.data(), y.data()); !status.ok()) first_failure = std::move(status);
    };
    auto times = time_pairs({[&] { once(baseline, y_baseline_); }}, {[&] { once(candidate, y_); }}, how);
    SPRESS_CHECK(std::move(first_failure));
    return times;
  }

  Result<const T*> last_result() override { return static_cast<const T*>(y_.data()); }
  [[nodiscard]] int runs_to_judge() const override { return 1; }

 private:
  void bind(DeviceProduct<T>&, std::monostate) const {}
  template <template <class> class F>
  void bind(DeviceProduct<T>& product, const F<Viewed>& a) const {
    product.multiply = [a, threads = threads_](const T* x, T* y) -> Status {
      cpu::spmv<T>(a, x, y, threads);
      return Ok{};
    };
  }

  int threads_;
  std::vector<T> x_, y_, y_baseline_;
};

template <class T>
Result<DeviceProduct<T>> prepare_peer(const std::string& name, const Csr<Viewed>& a, int threads) {
  SPRESS_TRY(auto product, peers::prepare<T>(name, a, threads));
  DeviceProduct<T> out;
  out.multiply = [held = std::shared_ptr(std::move(product))](const T* x, T* y) -> Status {
    held->multiply(x, y);
    return Ok{};
  };
  return out;
}

std::vector<Peer> cpu_peers() {
  std::vector<Peer> out;
  for (const std::string& name : peers::built_names())
    out.push_back({name, [name](const Csr<Viewed>& a, int threads) { return prepare_peer<double>(name, a, threads); },
                   [name](const Csr<Viewed>& a, int threads) { return prepare_peer<float>(name, a, threads); }});
  return out;
}

/// The first element whose bits differ, or the number of elements.
template <class T>
std::size_t first_difference(const std::vector<T>& a, const T* b) {
  std::size_t i = 0;
  while (i < a.size() && std::memcmp(&a[i], b + i, sizeof(T)) == 0) ++i;
  return i;
}

}  // namespace

template <class T>
Result<Verdict> run_and_judge(ProductDevice<T>& device, const DeviceProduct<T>& product, const Reference& reference) {
  SPRESS_CHECK(device.run(product));
  SPRESS_TRY(const T* y, device.last_result());
  Verdict verdict = judge(reference, y);
  if (device.runs_to_judge() == 1) return verdict;
  const std::vector<T> first(y, y + reference.y.size());
  for (int run = 1; verdict.ok && run < device.runs_to_judge(); ++run) {
    SPRESS_CHECK(device.run(product));
    SPRESS_TRY(y, device.last_result());
    const std::size_t other = first_difference(first, y);
    if (other == first.size()) continue;
    const Verdict again = judge(reference, y);
    verdict.max_error_ratio = std::max(verdict.max_error_ratio, again.max_error_ratio);
    verdict.ok = again.ok && !product.repeatable.value_or(false);
    if (!verdict.ok)
      verdict.reason = "run " + std::to_string(run + 1) + ": " +
                       (again.ok ? "row " + std::to_string(other) + " has other bits than in the first" : again.reason);
  }
  return verdict;
}
template Result<Verdict> run_and_judge<float>(ProductDevice<float>&, const DeviceProduct<float>&, const Reference&);
template Result<Verdict> run_and_judge<double>(ProductDevice<double>&, const DeviceProduct<double>&, const Reference&);

Device cpu_device() {
  Device device;
  device.make_double = [](int threads) { return std::make_unique<CpuDevice<double>>(threads); };
  device.make_float = [](int threads) { return std::make_unique<CpuDevice<float>>(threads); };
  device.peers = cpu_peers();
  return device;
}

Result<Device> find_device(DeviceKind kind) {
  if (kind == DeviceKind::cpu) return cpu_device();
  return cuda_device();
}

}  // namespace spress::pipeline
