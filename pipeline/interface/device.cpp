#include "pipeline/device/cuda_device.hpp"
#include "pipeline/interface/handles.hpp"

#ifdef SPRESS_WITH_CUDA
#include "encode/shared/any.hpp"
#include "kernels/cuda/device/blend.hpp"
#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/matrix.hpp"
#include "pipeline/device/chosen_product.hpp"
#endif

namespace spress::interface {
namespace {

#ifdef SPRESS_WITH_CUDA

/// What products on the device need: the matrix there, and a vector for those that add to y, made when first asked for.
template <class T, template <class> class F>
struct OnDevice {
  std::shared_ptr<const cuda::DeviceMatrix<F>> matrix;  ///< shared by products of both types
  cuda::Product<T> product;
  cuda::DeviceMemory result;

  Status multiply(T alpha, const T* x, T beta, T* y, cuda::Stream stream) {
    if (alpha == T(1) && beta == T(0)) return product.multiply(x, y, stream);
    const std::uint64_t rows = matrix->view.rows;
    if (result.data() == nullptr) {
      SPRESS_TRY(result, cuda::allocate(rows * sizeof(T), "a vector of results"));
    }
    SPRESS_CHECK(product.multiply(x, result.as<T>(), stream));
    return cuda::blend(alpha, result.as<T>(), beta, y, rows, stream);
  }
};

template <class T, template <class> class F>
Result<DeviceMultiply<T>> multiply_of(const F<Viewed>& host, std::shared_ptr<const cuda::DeviceMatrix<F>> matrix,
                                      const Spec& spec) {
  if (!multiplies<T>(host)) return DeviceMultiply<T>();
  auto held = std::make_shared<OnDevice<T, F>>();
  SPRESS_TRY(held->product, pipeline::chosen_product<T>(host, matrix->view, spec));
  held->matrix = std::move(matrix);
  return DeviceMultiply<T>([held](T alpha, const T* x, T beta, T* y, void* stream) {
    return held->multiply(alpha, x, beta, y, static_cast<cuda::Stream>(stream));
  });
}

template <template <class> class F>
Status send(const F<Owned>& f, spress_matrix& to) {
  const auto host = view_of(f);
  SPRESS_TRY(const Spec spec, parse_spec(to.spec));
  SPRESS_TRY(auto uploaded, cuda::upload(host));
  const auto matrix = std::make_shared<const cuda::DeviceMatrix<F>>(std::move(uploaded));
  SPRESS_TRY(auto in_double, multiply_of<double>(host, matrix, spec));
  SPRESS_TRY(auto in_float, multiply_of<float>(host, matrix, spec));
  SPRESS_CHECK(cuda::synchronize());  // streams of the caller need not wait for the default one
  to.on_device = std::move(in_double);
  to.on_device_float = std::move(in_float);
  return Ok{};
}

/// Errors: usage where a vector lies on another device than the matrix.
Status check_place(const spress_matrix& matrix, const void* vector, const char* name) {
  const auto device = cuda::device_of(vector);
  if (!device || *device == matrix.device) return Ok{};
  return Error{ErrorCode::usage, std::string(name) + " is on GPU " + std::to_string(*device) +
                                     ", and the matrix on GPU " + std::to_string(matrix.device) +
                                     ": copy one of them to the other's"};
}

template <class T>
Status multiply_on(const spress_matrix& matrix, const DeviceMultiply<T>& multiply, T alpha, const T* x, T beta, T* y,
                   void* stream) {
  SPRESS_CHECK(check_place(matrix, x, "x"));
  SPRESS_CHECK(check_place(matrix, y, "y"));
  const cuda::DeviceScope scope(matrix.device);
  return multiply(alpha, x, beta, y, stream);
}

#else

template <class T>
Status multiply_on(const spress_matrix&, const DeviceMultiply<T>& multiply, T alpha, const T* x, T beta, T* y,
                   void* stream) {
  return multiply(alpha, x, beta, y, stream);
}

#endif

template <class T>
Status multiply_there(const spress_matrix* matrix, const DeviceMultiply<T> spress_matrix::*multiply, T alpha,
                      const T* x, T beta, T* y, void* stream) {
  SPRESS_CHECK(given(matrix, "matrix"));
  std::uint64_t rows = 0, cols = 0;
  with_any(matrix->format, [&](const auto& f) { rows = f.rows, cols = f.cols; });
  if (cols > 0) SPRESS_CHECK(given(x, "x"));
  if (rows > 0) SPRESS_CHECK(given(y, "y"));
  if (matrix->*multiply) return multiply_on(*matrix, matrix->*multiply, alpha, x, beta, y, stream);
  if (matrix->on_device || matrix->on_device_float)
    return Error{ErrorCode::not_applicable, "the values of the matrix are of another type than the vectors"};
  return Error{ErrorCode::usage, "the matrix is not on the device: call spress_to_device before"};
}

}  // namespace

Status send_to_device(spress_matrix& matrix, std::optional<int> device) {
  SPRESS_CHECK(pipeline::check_cuda());
#ifdef SPRESS_WITH_CUDA
  SPRESS_TRY(const int current, cuda::current_device());
  const int wanted = device.value_or(current);
  const bool is_somewhere = matrix.on_device || matrix.on_device_float;
  if (is_somewhere && matrix.device == wanted) return Ok{};
  SPRESS_CHECK(cuda::device_info(wanted));
  const cuda::DeviceScope scope(wanted);
  Status done = Ok{};
  with_any(matrix.format, [&](const auto& f) { done = send(f, matrix); });
  if (done.ok()) matrix.device = wanted;
  return done;
#else
  static_cast<void>(matrix), static_cast<void>(device);
  return Ok{};
#endif
}

}  // namespace spress::interface

using namespace spress;
using interface::guarded;

spress_result spress_to_device(spress_matrix* matrix) {
  return guarded([&]() -> Status {
    SPRESS_CHECK(interface::given(matrix, "matrix"));
    return interface::send_to_device(*matrix);
  });
}

spress_result spress_to_device_number(spress_matrix* matrix, int device) {
  return guarded([&]() -> Status {
    SPRESS_CHECK(interface::given(matrix, "matrix"));
    return interface::send_to_device(*matrix, device);
  });
}

spress_result spress_multiply_on_device(const spress_matrix* matrix, double alpha, const double* x, double beta,
                                        double* y, void* stream) {
  return guarded(
      [&] { return interface::multiply_there(matrix, &spress_matrix::on_device, alpha, x, beta, y, stream); });
}

spress_result spress_multiply_on_device_float(const spress_matrix* matrix, float alpha, const float* x, float beta,
                                              float* y, void* stream) {
  return guarded(
      [&] { return interface::multiply_there(matrix, &spress_matrix::on_device_float, alpha, x, beta, y, stream); });
}
