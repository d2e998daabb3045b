// Where products run: the CPU or a GPU behind one interface, so that verify and bench are written once.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "formats/core/params.hpp"
#include "formats/core/result.hpp"
#include "formats/list.hpp"
#include "kernels/reference.hpp"
#include "pipeline/device/machine.hpp"
#include "pipeline/measure/pairing.hpp"

namespace spress::pipeline {

/// A matrix in any format of the list, seen in the host's memory, or nothing.
#define SPRESS_ROW(F) , F<Viewed>
using AnyView = std::variant<std::monostate SPRESS_FORMATS(SPRESS_ROW)>;
#undef SPRESS_ROW

/// y = A x of a matrix made ready before.
template <class T>
struct DeviceProduct {
  /// x: cols, y: rows, every element of which is written, both in the device's memory. A GPU may still be at work when
  /// this returns.
  std::function<Status(const T* x, T* y)> multiply;
  /// Makes ready what runs so many products in a row, for devices that take them all at once; empty: each is called.
  std::function<Result<std::function<Status()>>(const T* x, T* y, int runs)> in_a_row = {};
  std::string kernel = {};              ///< which of the format's kernels; empty on the CPU
  std::optional<bool> repeatable = {};  ///< whether every run gives the same bits; none: not told
  std::uint64_t total_bytes = 0;        ///< of a peer's own copy of the matrix, and of pieces; 0: that of our CSR
  std::uint64_t streamed_bytes = 0;     ///< that each product copies to the device
  std::optional<double> seconds = {};  ///< of a peer's preparation without what took CSR to the device; none: all of it
};

/// A device at work on products of one shape, with its vectors: x, and the results of a product and of its baseline.
template <class T>
class ProductDevice {
 public:
  virtual ~ProductDevice() = default;

  /// Takes the vector that all products to come multiply, and makes room for `rows` results. Errors: too_large.
  [[nodiscard]] virtual Status place(std::vector<T> x, std::uint64_t rows) = 0;

  /// spec: what `a` was encoded with. Requires: `a` outlives the product. Errors: too_large where the device's memory
  /// does not hold it; unsupported.
  [[nodiscard]] virtual Result<DeviceProduct<T>> prepare(const AnyView& a, const Spec& spec) = 0;

  /// Encodes the matrix in pieces of rows and prepares their product within so many bytes of the device's memory,
  /// beside the vectors: what does not fit comes through in each product. Requires: the host has room for the encoded
  /// pieces, page-locked. Errors: as encode_any and prepare; not_applicable for devices that have the host's memory.
  [[nodiscard]] virtual Result<DeviceProduct<T>> prepare_in(const Csr<Viewed>&, const Spec&, std::uint64_t) {
    return Error{ErrorCode::not_applicable, "this device multiplies a matrix where it is"};
  }

  /// Runs a product to its end. Before, every byte of its result is set to 0xFF, which makes every element a NaN.
  /// Errors: damaged for what the device reports of a kernel; too_large.
  [[nodiscard]] virtual Status run(const DeviceProduct<T>& product) = 0;

  /// Times both in turn. Errors: as run.
  [[nodiscard]] virtual Result<PairedTimes> time(const DeviceProduct<T>& baseline, const DeviceProduct<T>& candidate,
                                                 const Pairing& how) = 0;

  /// The result that `run`, or the candidate of `time`, left last: `rows` elements, good until the next call.
  [[nodiscard]] virtual Result<const T*> last_result() = 0;

  /// How often a product must run before it is believed: more than once where threads meet in another order each time.
  [[nodiscard]] virtual int runs_to_judge() const = 0;
};

/// Runs a product as often as the device asks for and judges each result; one that says that it is repeatable must give
/// the same bits each time. Errors: as ProductDevice::run.
template <class T>
[[nodiscard]] Result<Verdict> run_and_judge(ProductDevice<T>& device, const DeviceProduct<T>& product,
                                            const Reference& reference);

/// A product of another library on our CSR with raw values (or a pattern), which outlives it.
struct Peer {
  std::string name;
  std::function<Result<DeviceProduct<double>>(const Csr<Viewed>&, int threads)> prepare_double;
  std::function<Result<DeviceProduct<float>>(const Csr<Viewed>&, int threads)> prepare_float;
};

/// A kind of device that is there, and the libraries that this build has for it: one that this machine lacks tells so
/// when it is to prepare a product.
struct Device {
  DeviceKind kind = DeviceKind::cpu;
  std::string name = "cpu";  ///< or the GPU's
  /// threads: of products on the CPU; 0: OpenMP's default.
  std::function<std::unique_ptr<ProductDevice<double>>(int threads)> make_double;
  std::function<std::unique_ptr<ProductDevice<float>>(int threads)> make_float;
  std::vector<Peer> peers;
};

[[nodiscard]] Device cpu_device();

/// Errors: as check_device.
[[nodiscard]] Result<Device> find_device(DeviceKind kind);

}  // namespace spress::pipeline
