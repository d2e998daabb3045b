#ifdef SPRESS_WITH_CUSPARSE
#include "kernels/cuda/peers/cusparse_library.cuh"

#include <dlfcn.h>

#include <cstdlib>

namespace spress::cuda::cusparse {
namespace {

/// Looks where the system's loader does, then in the toolkit that the environment names, then in the usual place.
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

}  // namespace

Error unusable(const std::string& why) { return {ErrorCode::unsupported, "cuSPARSE cannot be used: " + why}; }

const Result<Library>& library() {
  static const Result<Library> loaded = load();
  return loaded;
}

Error refused(const Algorithm& peer, const std::string& why) {
  return {ErrorCode::not_applicable, std::string(peer.name) + " " + why};
}

Status answer(const Algorithm& peer, cusparseStatus_t status, const char* call) {
  if (status == CUSPARSE_STATUS_SUCCESS) return Ok{};
  const bool memory = status == CUSPARSE_STATUS_ALLOC_FAILED || status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
  const bool matrix = status == CUSPARSE_STATUS_INVALID_VALUE || status == CUSPARSE_STATUS_NOT_SUPPORTED ||
                      status == CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
  return Error{memory   ? ErrorCode::too_large
               : matrix ? ErrorCode::not_applicable
                        : ErrorCode::unsupported,
               std::string(peer.name) + ": " + call + " answers '" + library().value().error_string(status) + "'"};
}

}  // namespace spress::cuda::cusparse
#endif
