// MKL through its inspector-executor interface, loaded when it is first asked for: linked in, it would make the tool
// ten times as large, and every program that links this library would need it.
#ifdef SPRESS_WITH_MKL

#include <dlfcn.h>
#include <mkl_service.h>
#include <mkl_spblas.h>
#include <omp.h>

#include <algorithm>
#include <limits>

#include "formats/core/threads.hpp"
#include "kernels/peers/arrays.hpp"
#include "kernels/peers/makers.hpp"

namespace spress::peers {
namespace {

template <class T>
struct Functions;  // those that carry the type in their names
template <>
struct Functions<float> {
  decltype(&mkl_sparse_s_create_csr) create = nullptr;
  decltype(&mkl_sparse_s_mv) multiply = nullptr;
};
template <>
struct Functions<double> {
  decltype(&mkl_sparse_d_create_csr) create = nullptr;
  decltype(&mkl_sparse_d_mv) multiply = nullptr;
};

struct Library : Functions<float>, Functions<double> {
  decltype(&mkl_set_interface_layer) set_interface_layer = nullptr;
  decltype(&mkl_set_threading_layer) set_threading_layer = nullptr;
  decltype(&mkl_set_num_threads_local) set_num_threads_local = nullptr;
  decltype(&mkl_set_dynamic) set_dynamic = nullptr;
  decltype(&mkl_sparse_set_mv_hint) set_mv_hint = nullptr;
  decltype(&mkl_sparse_set_memory_hint) set_memory_hint = nullptr;
  decltype(&mkl_sparse_optimize) optimize = nullptr;
  decltype(&mkl_sparse_destroy) destroy = nullptr;
};

Error unusable(const std::string& why) { return {ErrorCode::unsupported, "mkl-csr cannot be used: " + why}; }

/// MKL's threads are those of an OpenMP library that it looks up in the process by name. Two such libraries would keep
/// each other from the processors, and without any, MKL ends the process.
Status check_openmp() {
  const bool gnu = dlsym(RTLD_DEFAULT, "GOMP_parallel_start") != nullptr;
  const void* seen = dlsym(RTLD_DEFAULT, "omp_get_max_threads");
  if (gnu && seen == reinterpret_cast<const void*>(&omp_get_max_threads)) return Ok{};
  return unusable("this program was linked so that MKL cannot share its OpenMP library");
}

void* open_library() {
  for (const char* name : {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so.1", "libmkl_rt.so"})
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
  return nullptr;
}

template <class Function>
bool find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  return function != nullptr;
}

bool find_all(void* handle, Library& mkl) {
  // The headers rename the service functions by macros.
  return find(handle, "MKL_Set_Interface_Layer", mkl.set_interface_layer) &&
         find(handle, "MKL_Set_Threading_Layer", mkl.set_threading_layer) &&
         find(handle, "MKL_Set_Num_Threads_Local", mkl.set_num_threads_local) &&
         find(handle, "MKL_Set_Dynamic", mkl.set_dynamic) && find(handle, "mkl_sparse_set_mv_hint", mkl.set_mv_hint) &&
         find(handle, "mkl_sparse_set_memory_hint", mkl.set_memory_hint) &&
         find(handle, "mkl_sparse_optimize", mkl.optimize) && find(handle, "mkl_sparse_destroy", mkl.destroy) &&
         find(handle, "mkl_sparse_s_create_csr", mkl.Functions<float>::create) &&
         find(handle, "mkl_sparse_s_mv", mkl.Functions<float>::multiply) &&
         find(handle, "mkl_sparse_d_create_csr", mkl.Functions<double>::create) &&
         find(handle, "mkl_sparse_d_mv", mkl.Functions<double>::multiply);
}

Result<Library> load() {
  SPRESS_CHECK(check_openmp());
  void* const handle = open_library();
  if (handle == nullptr) return unusable("libmkl_rt.so was not found");
  Library mkl;
  if (!find_all(handle, mkl)) return unusable("this libmkl_rt.so lacks functions of the inspector-executor interface");
  // Before any other call, since the first one settles them. With another layer than that of the compiler's OpenMP, MKL
  // leaves rows unwritten without a word.
  if (mkl.set_interface_layer(MKL_INTERFACE_LP64) != MKL_INTERFACE_LP64)
    return unusable("this process uses MKL with 64-bit integers");
  if (mkl.set_threading_layer(MKL_THREADING_GNU) != MKL_THREADING_GNU)
    return unusable("this process uses MKL with another OpenMP library than its own");
  mkl.set_dynamic(0);  // as many threads as are asked for
  return mkl;
}

const Result<Library>& library() {
  static const Result<Library> loaded = load();
  return loaded;
}

/// The number of threads that MKL uses for calls of this thread, while it lives.
class ThreadCount {
 public:
  ThreadCount(const Library& mkl, int threads) : mkl_(mkl), before_(mkl.set_num_threads_local(threads)) {}
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;
  ~ThreadCount() { mkl_.set_num_threads_local(before_); }

 private:
  const Library& mkl_;
  int before_;
};

template <class T>
class MklProduct : public Product<T> {
 public:
  MklProduct(const Library& mkl, Arrays<T> arrays, int threads)
      : mkl_(mkl), arrays_(std::move(arrays)), threads_(threads) {}
  MklProduct(const MklProduct&) = delete;
  MklProduct& operator=(const MklProduct&) = delete;
  ~MklProduct() override {
    if (matrix_ != nullptr) mkl_.destroy(matrix_);
  }

  Status inspect() {
    constexpr int many_calls = 1000;
    const ThreadCount scope(mkl_, threads_);
    auto* const row_ptr = const_cast<int*>(arrays_.row_ptr);  // MKL's interface knows no const, and writes nothing
    auto status =
        mkl_.Functions<T>::create(&matrix_, SPARSE_INDEX_BASE_ZERO, arrays_.rows, arrays_.cols, row_ptr, row_ptr + 1,
                                  const_cast<int*>(arrays_.col_idx), const_cast<T*>(arrays_.values));
    if (status == SPARSE_STATUS_SUCCESS)
      status = mkl_.set_mv_hint(matrix_, SPARSE_OPERATION_NON_TRANSPOSE, general, many_calls);
    // Left to itself the inspector turns a matrix of few diagonals into another format, whose kernel for AVX-512 reads
    // up to seven elements before x (seen in 2020.4: a crash where x begins a page). This peer is MKL's CSR.
    if (status == SPARSE_STATUS_SUCCESS) status = mkl_.set_memory_hint(matrix_, SPARSE_MEMORY_NONE);
    if (status == SPARSE_STATUS_SUCCESS) status = mkl_.optimize(matrix_);
    if (status == SPARSE_STATUS_SUCCESS) return Ok{};
    return Error{ErrorCode::not_applicable, "mkl-csr refuses this matrix with status " + std::to_string(status)};
  }

  void multiply(const T* x, T* y) override {
    const ThreadCount scope(mkl_, threads_);
    const auto status = mkl_.Functions<T>::multiply(SPARSE_OPERATION_NON_TRANSPOSE, T(1), matrix_, general, x, T(0), y);
    // No result must look like one.
    if (status != SPARSE_STATUS_SUCCESS) std::fill_n(y, arrays_.rows, std::numeric_limits<T>::quiet_NaN());
  }

 private:
  static constexpr matrix_descr general{SPARSE_MATRIX_TYPE_GENERAL, SPARSE_FILL_MODE_FULL, SPARSE_DIAG_NON_UNIT};

  const Library& mkl_;
  Arrays<T> arrays_;
  int threads_;
  sparse_matrix_t matrix_ = nullptr;
};

}  // namespace

Status mkl_status() {
  if (!library().ok()) return library().error();
  return Ok{};
}

template <class T>
Result<std::unique_ptr<Product<T>>> mkl_csr(const Csr<Viewed>& a, int threads) {
  SPRESS_CHECK(mkl_status());
  SPRESS_TRY(auto arrays, arrays_of<T>(a, "mkl-csr"));
  auto product = std::make_unique<MklProduct<T>>(library().value(), std::move(arrays), thread_count(threads));
  SPRESS_CHECK(product->inspect());
  return std::unique_ptr<Product<T>>(std::move(product));
}

template Result<std::unique_ptr<Product<float>>> mkl_csr<float>(const Csr<Viewed>&, int);
template Result<std::unique_ptr<Product<double>>> mkl_csr<double>(const Csr<Viewed>&, int);

}  // namespace spress::peers

#endif
