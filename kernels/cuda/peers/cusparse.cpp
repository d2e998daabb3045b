#include "kernels/cuda/peers/cusparse.hpp"

#ifdef SPRESS_WITH_CUSPARSE
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "kernels/cuda/peers/cusparse_library.cuh"
#include "kernels/cuda/peers/cusparse_matrix.cuh"
#endif

namespace spress::cuda::cusparse {

#ifdef SPRESS_WITH_CUSPARSE
namespace {

constexpr auto bsr_alg1 =
    static_cast<cusparseSpMVAlg_t>(6);  // CUSPARSE_SPMV_BSR_ALG1: headers of CUDA 12 lack the name

constexpr std::array<Algorithm, 6> algorithms = {{
    {"cusparse-csr-alg1", Layout::csr, CUSPARSE_SPMV_CSR_ALG1, "CSR_ALG1, preprocessed", false},
    {"cusparse-csr-alg2", Layout::csr, CUSPARSE_SPMV_CSR_ALG2, "CSR_ALG2, preprocessed", true},
    {"cusparse-coo-alg1", Layout::coo, CUSPARSE_SPMV_COO_ALG1, "COO_ALG1", false},
    {"cusparse-coo-alg2", Layout::coo, CUSPARSE_SPMV_COO_ALG2, "COO_ALG2", true},
    {"cusparse-sell", Layout::sliced_ell, CUSPARSE_SPMV_SELL_ALG1, "SELL_ALG1, slices of 32", true},
    {"cusparse-bsr", Layout::bsr, bsr_alg1, "BSR_ALG1", true},
}};

template <class T>
class Spmv {
 public:
  Spmv(const Algorithm& peer, PeerMatrix held) : peer_(peer), held_(std::move(held)) {}

  Status prepare(std::uint64_t rows, std::uint64_t cols) {
    cusparseHandle_t handle = nullptr;
    SPRESS_CUSPARSE_TRY(peer_, create, &handle);
    handle_.reset(handle);
    // cuSPARSE may read the vectors while it prepares.
    const std::string what = "vectors to prepare " + std::string(peer_.name);
    SPRESS_TRY(const DeviceMemory x, allocate(cols * sizeof(T), what));
    SPRESS_TRY(const DeviceMemory y, allocate(rows * sizeof(T), what));
    SPRESS_CHECK(fill_bytes(x.data(), 0, x.bytes()));
    SPRESS_CHECK(make_vector(cols, x.data(), x_));
    SPRESS_CHECK(make_vector(rows, y.data(), y_));

    std::size_t bytes = 0;
    SPRESS_CUSPARSE_TRY(peer_, buffer_size, handle_.get(), operation, &one, held_.matrix.get(), x_.get(), &zero,
                        y_.get(), data_type<T>, peer_.code, &bytes);
    // The library takes no null.
    SPRESS_TRY(scratch_, allocate(std::max<std::size_t>(bytes, 16), "scratch of " + std::string(peer_.name)));
    const auto status = library().value().preprocess(handle_.get(), operation, &one, held_.matrix.get(), x_.get(),
                                                     &zero, y_.get(), data_type<T>, peer_.code, scratch_.data());
    // Some algorithms have nothing to preprocess.
    if (status != CUSPARSE_STATUS_NOT_SUPPORTED) SPRESS_CHECK(answer(peer_, status, "preprocess"));
    return synchronize();
  }

  Status multiply(const T* x, T* y, Stream stream) {
    SPRESS_CUSPARSE_TRY(peer_, set_stream, handle_.get(), stream);
    SPRESS_CUSPARSE_TRY(peer_, set_values, x_.get(), const_cast<T*>(x));  // its interface lacks const
    SPRESS_CUSPARSE_TRY(peer_, set_values, y_.get(), y);
    SPRESS_CUSPARSE_TRY(peer_, multiply, handle_.get(), operation, &one, held_.matrix.get(), x_.get(), &zero, y_.get(),
                        data_type<T>, peer_.code, scratch_.data());
    return Ok{};
  }

  [[nodiscard]] std::string kernel() const { return std::string(peer_.kernel) + held_.note; }
  [[nodiscard]] std::uint64_t matrix_bytes() const { return held_.bytes; }
  [[nodiscard]] std::uint64_t scratch_bytes() const { return scratch_.bytes(); }

 private:
  static constexpr auto operation = CUSPARSE_OPERATION_NON_TRANSPOSE;
  static constexpr T one = 1, zero = 0;

  using Vector = Owning<cusparseDnVecDescr_t, DestroyVector>;

  Status make_vector(std::uint64_t size, void* numbers, Vector& out) {
    cusparseDnVecDescr_t vector = nullptr;
    SPRESS_CUSPARSE_TRY(peer_, create_vector, &vector, static_cast<std::int64_t>(size), numbers, data_type<T>);
    out.reset(vector);
    return Ok{};
  }

  const Algorithm& peer_;
  DeviceMemory scratch_;  // outlives what is prepared in it
  PeerMatrix held_;
  Owning<cusparseHandle_t, DestroyHandle> handle_;
  Vector x_, y_;
};

Error no_peer(const std::string& name) {
  std::string there;
  for (const auto& peer : algorithms) there += (there.empty() ? "" : ", ") + std::string(peer.name);
  return {ErrorCode::unsupported, "there is no peer '" + name + "' on the device; there is: " + there};
}

template <class T>
Status check_matrix(const Algorithm& peer, const Csr<Viewed>& a) {
  const bool pattern = a.values.type == ValueType::none;
  if (!readable_as<T>(a.values) || (!pattern && a.values.kind != StoreKind::raw))
    return refused(peer, "takes raw values of the type that it computes in, or a pattern");
  if (a.nnz == 0) return refused(peer, "is given no matrix without entries: there is nothing to multiply");
  return Ok{};
}

}  // namespace

std::vector<std::string> built_names() {
  std::vector<std::string> built;
  for (const auto& peer : algorithms) built.emplace_back(peer.name);
  return built;
}

std::vector<std::string> names() { return library().ok() ? built_names() : std::vector<std::string>(); }

Result<std::string> version() {
  if (!library().ok()) return library().error();
  int numbers[3] = {};
  for (const auto& [type, number] : {std::pair{MAJOR_VERSION, &numbers[0]}, std::pair{MINOR_VERSION, &numbers[1]},
                                     std::pair{PATCH_LEVEL, &numbers[2]}})
    if (library().value().property(type, number) != CUSPARSE_STATUS_SUCCESS) return unusable("it tells no version");
  return std::to_string(numbers[0]) + "." + std::to_string(numbers[1]) + "." + std::to_string(numbers[2]);
}

template <class T>
Result<PreparedPeer<T>> prepare(const std::string& name, const Csr<Viewed>& host, const Csr<Viewed>& device,
                                int threads) {
  const auto* const peer =
      std::find_if(algorithms.begin(), algorithms.end(), [&](const auto& p) { return p.name == name; });
  if (peer == algorithms.end()) return no_peer(name);
  if (!library().ok()) return library().error();
  SPRESS_CHECK(check_matrix<T>(*peer, host));
  PeerMatrix held;
  SPRESS_CHECK(make_matrix<T>(*peer, {host, device, threads}, held));
  const auto spmv = std::make_shared<Spmv<T>>(*peer, std::move(held));
  SPRESS_CHECK(spmv->prepare(host.rows, host.cols));
  PreparedPeer<T> out;
  out.product.multiply = [spmv](const T* x, T* y, Stream stream) { return spmv->multiply(x, y, stream); };
  out.product.kernel = spmv->kernel();
  out.product.repeatable = peer->repeatable;
  out.total_bytes = spmv->matrix_bytes();
  out.scratch_bytes = spmv->scratch_bytes();
  return out;
}

#else  // built without cuSPARSE's header

std::vector<std::string> built_names() { return {}; }
std::vector<std::string> names() { return {}; }

namespace {
Error not_built() { return {ErrorCode::unsupported, "this build has no cuSPARSE: its header was not found"}; }
}  // namespace

Result<std::string> version() { return not_built(); }

template <class T>
Result<PreparedPeer<T>> prepare(const std::string&, const Csr<Viewed>&, const Csr<Viewed>&, int) {
  return not_built();
}

#endif

template Result<PreparedPeer<float>> prepare<float>(const std::string&, const Csr<Viewed>&, const Csr<Viewed>&, int);
template Result<PreparedPeer<double>> prepare<double>(const std::string&, const Csr<Viewed>&, const Csr<Viewed>&, int);

}  // namespace spress::cuda::cusparse
