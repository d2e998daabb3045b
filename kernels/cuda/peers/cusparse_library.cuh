// The library cuSPARSE, loaded at run time: its functions, its algorithms, and what its calls answer. Internal, and
// only where its header was found.
#pragma once

#include <cusparse.h>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "formats/core/result.hpp"

namespace spress::cuda::cusparse {

/// The functions that are called.
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

/// An error that says why cuSPARSE cannot be used.
[[nodiscard]] Error unusable(const std::string& why);

/// Errors: unsupported, saying what is missing and where to name it.
[[nodiscard]] const Result<Library>& library();

/// The layouts that its algorithms take.
enum class Layout { csr, coo, sliced_ell, bsr };

/// `repeatable` is what its documentation promises; callers who compare bits check it.
struct Algorithm {
  std::string_view name;
  Layout layout;
  cusparseSpMVAlg_t code;
  std::string_view kernel;
  bool repeatable;
};

/// An error for a matrix that an algorithm does not take. why: follows its name.
[[nodiscard]] Error refused(const Algorithm& peer, const std::string& why);

/// The status of a call of cuSPARSE. Errors: too_large, not_applicable, unsupported.
[[nodiscard]] Status answer(const Algorithm& peer, cusparseStatus_t status, const char* call);

#define SPRESS_CUSPARSE_TRY(peer, function, ...) \
  SPRESS_CHECK(answer(peer, library().value().function(__VA_ARGS__), #function))

// Owners of what the library makes.

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

}  // namespace spress::cuda::cusparse
