#include "kernels/cuda/peers/cusparse.hpp"

#ifdef SPRESS_WITH_CUSPARSE
#include <cusparse.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "kernels/cuda/peers/cusparse_arrays.hpp"
#endif

namespace spress::cuda::cusparse {

#ifdef SPRESS_WITH_CUSPARSE
namespace {

// --- The library ---

struct Library {
  decltype(&cusparseGetErrorString) error_string = nullptr;
  decltype(&cusparseGetProperty) property = nullptr;
  decltype(&cusparseCreate) create = nullptr;
  decltype(&cusparseDestroy) destroy = nullptr;
  decltype(&cusparseSetStream) set_stream = nullptr;
  decltype(&cusparseCreateConstCsr) create_csr = nullptr;
  decltype(&cusparseCreateConstCoo) create_coo = nullptr;
  decltype(&cusparseCreateConstSlicedEll) create_sliced_ell = nullptr;
  decltype(&cusparseCreateConstBsr) create_bsr = nullptr;
  decltype(&cusparseDestroySpMat) destroy_matrix = nullptr;
  decltype(&cusparseCreateDnVec) create_vector = nullptr;
  decltype(&cusparseDnVecSetValues) set_values = nullptr;
  decltype(&cusparseDestroyDnVec) destroy_vector = nullptr;
  decltype(&cusparseSpMV_bufferSize) buffer_size = nullptr;
  decltype(&cusparseSpMV_preprocess) preprocess = nullptr;
  decltype(&cusparseSpMV) multiply = nullptr;
};

Error unusable(const std::string& why) { return {ErrorCode::unsupported, "cuSPARSE cannot be used: " + why, {}, 0}; }

/// Where the system's loader looks, then the toolkit: the one that the environment names, then the usual place.
void* open_library() {
  const std::string name = "libcusparse.so.12";  // of CUDA 12 and 13; it finds the libraries that it needs itself
  if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* toolkit = std::getenv(variable))
      if (void* handle = dlopen((toolkit + ("/lib64/" + name)).c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  return dlopen(("/usr/local/cuda/lib64/" + name).c_str(), RTLD_NOW | RTLD_LOCAL);
}

template <class Function>
void find(void* handle, const char* name, Function& function, std::string& missing) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function == nullptr) missing += (missing.empty() ? "" : ", ") + std::string(name);
}

Result<Library> load() {
  void* const handle = open_library();
  if (handle == nullptr) {
    const char* why = dlerror();
    return unusable("libcusparse.so.12 was not loaded (" + std::string(why != nullptr ? why : "no reason given") +
                    "); name its folder in LD_LIBRARY_PATH");
  }
  Library lib;
  std::string missing;
  find(handle, "cusparseGetErrorString", lib.error_string, missing);
  find(handle, "cusparseGetProperty", lib.property, missing);
  find(handle, "cusparseCreate", lib.create, missing);
  find(handle, "cusparseDestroy", lib.destroy, missing);
  find(handle, "cusparseSetStream", lib.set_stream, missing);
  find(handle, "cusparseCreateConstCsr", lib.create_csr, missing);
  find(handle, "cusparseCreateConstCoo", lib.create_coo, missing);
  find(handle, "cusparseCreateConstSlicedEll", lib.create_sliced_ell, missing);
  find(handle, "cusparseCreateConstBsr", lib.create_bsr, missing);
  find(handle, "cusparseDestroySpMat", lib.destroy_matrix, missing);
  find(handle, "cusparseCreateDnVec", lib.create_vector, missing);
  find(handle, "cusparseDnVecSetValues", lib.set_values, missing);
  find(handle, "cusparseDestroyDnVec", lib.destroy_vector, missing);
  find(handle, "cusparseSpMV_bufferSize", lib.buffer_size, missing);
  find(handle, "cusparseSpMV_preprocess", lib.preprocess, missing);
  find(handle, "cusparseSpMV", lib.multiply, missing);
  if (missing.empty()) return lib;
  return unusable("this libcusparse.so.12 is too old, it lacks " + missing);
}

const Result<Library>& library() {
  static const Result<Library> loaded = load();
  return loaded;
}

// --- The peers ---

enum class Layout { csr, coo, sliced_ell, bsr };

/// What cuSPARSE's documentation promises of an algorithm is what `repeatable` says; callers who compare bits check it.
struct Algorithm {
  std::string_view name;
  Layout layout;
  cusparseSpMVAlg_t code;
  std::string_view kernel;
  bool repeatable;
};

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

Error refused(const Algorithm& peer, const std::string& why) {
  return {ErrorCode::not_applicable, std::string(peer.name) + " " + why, {}, 0};
}

/// What a call of cuSPARSE answered.
Status answer(const Algorithm& peer, cusparseStatus_t status, const char* call) {
  if (status == CUSPARSE_STATUS_SUCCESS) return Ok{};
  const bool memory = status == CUSPARSE_STATUS_ALLOC_FAILED || status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
  const bool matrix = status == CUSPARSE_STATUS_INVALID_VALUE || status == CUSPARSE_STATUS_NOT_SUPPORTED ||
                      status == CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
  return Error{memory   ? ErrorCode::too_large
               : matrix ? ErrorCode::not_applicable
                        : ErrorCode::unsupported,
               std::string(peer.name) + ": " + call + " answers '" + library().value().error_string(status) + "'",
               {},
               0};
}

#define SPRESS_CUSPARSE_TRY(peer, function, ...) \
  SPRESS_CHECK(answer(peer, library().value().function(__VA_ARGS__), #function))

struct DestroyHandle {
  void operator()(cusparseHandle_t handle) const { static_cast<void>(library().value().destroy(handle)); }
};
struct DestroyMatrix {
  void operator()(cusparseConstSpMatDescr_t matrix) const {
    static_cast<void>(library().value().destroy_matrix(matrix));
  }
};
struct DestroyVector {
  void operator()(cusparseDnVecDescr_t vector) const { static_cast<void>(library().value().destroy_vector(vector)); }
};
template <class Pointer, class Destroy>
using Owning = std::unique_ptr<std::remove_pointer_t<Pointer>, Destroy>;

template <class T>
constexpr cudaDataType data_type = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_64F;
template <class Index>
constexpr cusparseIndexType_t index_type = sizeof(Index) == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;

// --- Matrices on the device, as cuSPARSE takes them ---

/// Both matrices, and the arrays that are not those of the device's.
struct Input {
  const Csr<Viewed>& host;
  const Csr<Viewed>& device;
  int threads;
};

struct Held {
  std::vector<DeviceMemory> memory;
  std::uint64_t bytes = 0;  ///< of the matrix: in `memory`, and those of its arrays that are read in place
  Owning<cusparseConstSpMatDescr_t, DestroyMatrix> matrix;
  std::string note;  ///< for the kernel's name

  const void* in_place(const void* array, std::uint64_t array_bytes) {
    bytes += array_bytes;
    return array;
  }
  template <class T>
  Result<const void*> put(const HostArray<T>& array, const Algorithm& peer) {
    SPRESS_TRY(DeviceMemory copy, upload(array.span(), "the matrix as " + std::string(peer.name)));
    memory.push_back(std::move(copy));
    return in_place(memory.back().data(), array.bytes());
  }
};

template <class Index>
Result<const void*> columns(const Algorithm& peer, const Input& a, Held& held) {
  if constexpr (sizeof(Index) == sizeof(std::uint32_t))
    return held.in_place(a.device.col_idx.data(), a.device.col_idx.bytes());
  else
    return held.put(converted<Index>(a.host.col_idx, a.threads), peer);
}

template <class Index>
Result<const void*> row_pointers(const Algorithm& peer, const Input& a, Held& held) {
  if (size_of(a.device.row_ptr.dtype()) == sizeof(Index))
    return held.in_place(a.device.row_ptr.raw(), a.device.row_ptr.bytes());
  return held.put(converted<Index>(a.host.row_ptr, a.threads), peer);
}

template <class T>
Result<const void*> values(const Algorithm& peer, const Input& a, Held& held) {
  if (a.host.values.type == ValueType::none) return held.put(HostArray<T>(a.host.nnz, T(1)), peer);
  return held.in_place(a.device.values.codes.raw(), a.device.values.codes.bytes());
}

template <class T, class Index>
Status make_csr(const Algorithm& peer, const Input& a, Held& held) {
  SPRESS_TRY(const void* row_ptr, row_pointers<Index>(peer, a, held));
  SPRESS_TRY(const void* col_idx, columns<Index>(peer, a, held));
  SPRESS_TRY(const void* numbers, values<T>(peer, a, held));
  cusparseConstSpMatDescr_t matrix = nullptr;
  SPRESS_CUSPARSE_TRY(peer, create_csr, &matrix, a.host.rows, a.host.cols, a.host.nnz, row_ptr, col_idx, numbers,
                      index_type<Index>, index_type<Index>, CUSPARSE_INDEX_BASE_ZERO, data_type<T>);
  held.matrix.reset(matrix);
  return Ok{};
}

template <class T, class Index>
Status make_coo(const Algorithm& peer, const Input& a, Held& held) {
  SPRESS_TRY(const void* row_idx, held.put(row_of_each_entry<Index>(a.host, a.threads), peer));
  SPRESS_TRY(const void* col_idx, columns<Index>(peer, a, held));
  SPRESS_TRY(const void* numbers, values<T>(peer, a, held));
  cusparseConstSpMatDescr_t matrix = nullptr;
  SPRESS_CUSPARSE_TRY(peer, create_coo, &matrix, a.host.rows, a.host.cols, a.host.nnz, row_idx, col_idx, numbers,
                      index_type<Index>, CUSPARSE_INDEX_BASE_ZERO, data_type<T>);
  held.matrix.reset(matrix);
  return Ok{};
}

template <class T, class Index>
Status make_sliced_ell(const Algorithm& peer, const Input& a, Held& held) {
  const auto made = sliced_ell<T, Index>(a.host, a.threads);
  SPRESS_TRY(const void* slice_start, held.put(made.slice_start, peer));
  SPRESS_TRY(const void* col_idx, held.put(made.col_idx, peer));
  SPRESS_TRY(const void* numbers, held.put(made.values, peer));
  cusparseConstSpMatDescr_t matrix = nullptr;
  SPRESS_CUSPARSE_TRY(peer, create_sliced_ell, &matrix, a.host.rows, a.host.cols, a.host.nnz, made.values.size(),
                      slice_rows, slice_start, col_idx, numbers, index_type<Index>, index_type<Index>,
                      CUSPARSE_INDEX_BASE_ZERO, data_type<T>);
  held.matrix.reset(matrix);
  return Ok{};
}

template <class T>
Status make_blocks(const Algorithm& peer, const Input& a, std::uint64_t size, Held& held) {
  const auto made = bsr<T, std::int32_t>(a.host, size, a.threads);
  SPRESS_TRY(const void* row_ptr, held.put(made.row_ptr, peer));
  SPRESS_TRY(const void* col_idx, held.put(made.col_idx, peer));
  SPRESS_TRY(const void* numbers, held.put(made.values, peer));
  cusparseConstSpMatDescr_t matrix = nullptr;
  SPRESS_CUSPARSE_TRY(peer, create_bsr, &matrix, a.host.rows / size, a.host.cols / size, made.col_idx.size(), size,
                      size, row_ptr, col_idx, numbers, index_type<std::int32_t>, index_type<std::int32_t>,
                      CUSPARSE_INDEX_BASE_ZERO, data_type<T>, CUSPARSE_ORDER_COL);
  held.matrix.reset(matrix);
  held.note = ", blocks of " + std::to_string(size) + "x" + std::to_string(size);
  return Ok{};
}

// --- What fits and what pays ---

/// Whether all of a layout's ids and positions, and `slots`, are at most 2^31 - 1.
bool narrow(const Csr<Viewed>& a, std::uint64_t slots) {
  constexpr std::uint64_t largest = std::numeric_limits<std::int32_t>::max();
  return std::max({a.rows, a.cols, a.nnz, slots}) <= largest;
}

struct Blocks {
  std::uint64_t size = 0, count = 0, bytes = 0;
  double time = 0;  ///< of a product, in any unit
};

std::uint64_t index_bytes(const Csr<Viewed>& a) { return narrow(a, a.nnz) ? 4 : 8; }

/// How fast cuSPARSE 12.6 reads blocks of a size, of its fastest, on an H200: by columns, double.
constexpr std::array<double, most_block_size + 1> block_speed = {0, 0, 0.5, 0.95, 1, 1, 0.5};

/// The blocks that take the least time by their bytes; size 0 where no size divides rows and columns. Filled-up blocks
/// at the edges would read beyond the end of x, which is not ours to lengthen.
template <class T>
Blocks best_blocks(const Csr<Viewed>& a, int threads) {
  const std::uint64_t index = index_bytes(a);
  Blocks best;
  for (std::uint64_t size = 2; size <= most_block_size; ++size) {
    if (a.rows % size != 0 || a.cols % size != 0) continue;
    const std::uint64_t count = bsr_blocks(a, size, threads);
    const std::uint64_t bytes = count * (size * size * sizeof(T) + index) + (a.rows / size + 1) * index;
    const double time = static_cast<double>(bytes) / block_speed[size];
    if (best.size == 0 || time < best.time) best = {size, count, bytes, time};
  }
  return best;
}

template <class T>
Status make_bsr(const Algorithm& peer, const Input& a, Held& held) {
  const Blocks best = best_blocks<T>(a.host, a.threads);
  if (best.size == 0) return refused(peer, "needs a block size of 2 to 6 that divides rows and columns");
  const std::uint64_t csr_bytes =
      a.host.nnz * (sizeof(T) + index_bytes(a.host)) + (a.host.rows + 1) * index_bytes(a.host);
  if (best.bytes >= csr_bytes)
    return refused(peer, "does not pay: blocks of " + std::to_string(best.size) + " take " +
                             std::to_string(best.bytes) + " bytes, CSR " + std::to_string(csr_bytes));
  // Given 64-bit indices for columns beyond 2^31, cuSPARSE 12.6 reads outside of the arrays.
  if (!narrow(a.host, best.count * best.size * best.size))
    return refused(peer, "takes 32-bit indices only, which this matrix exceeds");
  return make_blocks<T>(peer, a, best.size, held);
}

/// The same limit as our padded formats have.
template <class T>
Status make_sliced_ell(const Algorithm& peer, const Input& a, Held& held) {
  const std::uint64_t slots = sliced_ell_slots(a.host, a.threads), most = 16 * a.host.nnz + (1u << 20);
  if (slots > most)
    return refused(peer, "would pad " + std::to_string(a.host.nnz) + " entries to " + std::to_string(slots) +
                             " slots; at most 16 * nnz + 2^20 = " + std::to_string(most) + " are held");
  return narrow(a.host, slots) ? make_sliced_ell<T, std::int32_t>(peer, a, held)
                               : make_sliced_ell<T, std::int64_t>(peer, a, held);
}

template <class T>
Status make_matrix(const Algorithm& peer, const Input& a, Held& held) {
  const bool fits = narrow(a.host, a.host.nnz);
  switch (peer.layout) {
    case Layout::csr: return fits ? make_csr<T, std::int32_t>(peer, a, held) : make_csr<T, std::int64_t>(peer, a, held);
    case Layout::coo: return fits ? make_coo<T, std::int32_t>(peer, a, held) : make_coo<T, std::int64_t>(peer, a, held);
    case Layout::sliced_ell: return make_sliced_ell<T>(peer, a, held);
    case Layout::bsr: break;
  }
  return make_bsr<T>(peer, a, held);
}

// --- The product ---

template <class T>
class Spmv {
 public:
  Spmv(const Algorithm& peer, Held held) : peer_(peer), held_(std::move(held)) {}

  Status prepare(std::uint64_t rows, std::uint64_t cols) {
    cusparseHandle_t handle = nullptr;
    SPRESS_CUSPARSE_TRY(peer_, create, &handle);
    handle_.reset(handle);
    // Preparing is given vectors of its own, should it look at them.
    const std::string what = "vectors to prepare " + std::string(peer_.name);
    SPRESS_TRY(const DeviceMemory x, allocate(cols * sizeof(T), what));
    SPRESS_TRY(const DeviceMemory y, allocate(rows * sizeof(T), what));
    SPRESS_CHECK(fill_bytes(x.data(), 0, x.bytes()));
    SPRESS_CHECK(make_vector(cols, x.data(), x_));
    SPRESS_CHECK(make_vector(rows, y.data(), y_));

    std::size_t bytes = 0;
    SPRESS_CUSPARSE_TRY(peer_, buffer_size, handle_.get(), operation, &one, held_.matrix.get(), x_.get(), &zero,
                        y_.get(), data_type<T>, peer_.code, &bytes);
    // At least something: the library takes no null.
    SPRESS_TRY(scratch_, allocate(std::max<std::size_t>(bytes, 16), "scratch of " + std::string(peer_.name)));
    const auto status = library().value().preprocess(handle_.get(), operation, &one, held_.matrix.get(), x_.get(),
                                                     &zero, y_.get(), data_type<T>, peer_.code, scratch_.data());
    // Not every algorithm has something to preprocess.
    if (status != CUSPARSE_STATUS_NOT_SUPPORTED) SPRESS_CHECK(answer(peer_, status, "preprocess"));
    return synchronize();
  }

  Status multiply(const T* x, T* y, Stream stream) {
    SPRESS_CUSPARSE_TRY(peer_, set_stream, handle_.get(), stream);
    SPRESS_CUSPARSE_TRY(peer_, set_values, x_.get(), const_cast<T*>(x));  // a vector that is read knows no const
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
  DeviceMemory scratch_;  // outlives what is made ready in it
  Held held_;
  Owning<cusparseHandle_t, DestroyHandle> handle_;
  Vector x_, y_;
};

Error no_peer(const std::string& name) {
  std::string there;
  for (const auto& peer : algorithms) there += (there.empty() ? "" : ", ") + std::string(peer.name);
  return {ErrorCode::unsupported, "there is no peer '" + name + "' on the device; there is: " + there, {}, 0};
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
Result<Peer<T>> prepare(const std::string& name, const Csr<Viewed>& host, const Csr<Viewed>& device, int threads) {
  const auto* const peer =
      std::find_if(algorithms.begin(), algorithms.end(), [&](const auto& p) { return p.name == name; });
  if (peer == algorithms.end()) return no_peer(name);
  if (!library().ok()) return library().error();
  SPRESS_CHECK(check_matrix<T>(*peer, host));
  Held held;
  SPRESS_CHECK(make_matrix<T>(*peer, {host, device, threads}, held));
  const auto spmv = std::make_shared<Spmv<T>>(*peer, std::move(held));
  SPRESS_CHECK(spmv->prepare(host.rows, host.cols));
  Peer<T> out;
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
Error not_built() { return {ErrorCode::unsupported, "this build has no cuSPARSE: its header was not found", {}, 0}; }
}  // namespace

Result<std::string> version() { return not_built(); }

template <class T>
Result<Peer<T>> prepare(const std::string&, const Csr<Viewed>&, const Csr<Viewed>&, int) {
  return not_built();
}

#endif

template Result<Peer<float>> prepare<float>(const std::string&, const Csr<Viewed>&, const Csr<Viewed>&, int);
template Result<Peer<double>> prepare<double>(const std::string&, const Csr<Viewed>&, const Csr<Viewed>&, int);

}  // namespace spress::cuda::cusparse
