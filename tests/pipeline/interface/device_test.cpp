// Products in the memory of a GPU through the C interface, with every format and type.
#ifdef SPRESS_WITH_CUDA

#include <gtest/gtest.h>
#include <spress/spress.h>

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "encode/shared/any.hpp"
#include "kernels/cuda/device/check.cuh"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/reference.hpp"
#include "pipeline/source.hpp"
#include "tests/kernels/cuda/needs_device.hpp"
#include "tests/pipeline/interface/support.hpp"
#include "tests/scenarios.hpp"

namespace spress::tests {
namespace {

template <class T>
spress_result multiply_there(const spress_matrix* matrix, T alpha, const T* x, T beta, T* y) {
  if constexpr (std::is_same_v<T, double>)
    return spress_multiply_on_device(matrix, alpha, x, beta, y, nullptr);
  else
    return spress_multiply_on_device_float(matrix, alpha, x, beta, y, nullptr);
}

/// y of the device after y = alpha A x + beta y, where every element was `before`.
template <class T>
std::vector<T> result_of(const spress_matrix* matrix, std::uint64_t rows, const std::vector<T>& x, T alpha, T beta,
                         T before) {
  const std::vector<T> start(rows, before);
  const auto x_there = cuda::upload(std::span<const T>(x), "x"), y_there = cuda::upload(std::span<const T>(start), "y");
  EXPECT_TRUE(x_there.ok() && y_there.ok());
  EXPECT_EQ(multiply_there<T>(matrix, alpha, x_there->template as<T>(), beta, y_there->template as<T>()), SPRESS_OK)
      << spress_last_error();
  EXPECT_TRUE(cuda::synchronize().ok());
  return cuda::download<T>(*y_there, rows).value();
}

template <class T>
void expect_products(const Csr<Owned>& a, const std::string& format) {
  SCOPED_TRACE(format);
  const auto view = view_of(a);
  const spress_arrays arrays = arrays_of(a);
  spress_csr* csr = nullptr;
  spress_matrix* matrix = nullptr;
  ASSERT_EQ(spress_csr_from_arrays(&arrays, &csr), SPRESS_OK);
  ASSERT_EQ(spress_encode(csr, format.c_str(), nullptr, nullptr, &matrix), SPRESS_OK) << spress_last_error();
  spress_csr_free(csr);
  ASSERT_EQ(spress_to_device(matrix), SPRESS_OK) << spress_last_error();
  const auto x = test_vector<T>(a.cols);
  const auto y = result_of<T>(matrix, a.rows, x, 1, 0, std::numeric_limits<T>::quiet_NaN());
  const auto verdict = judge(reference_product(view, x.data()), y.data());
  EXPECT_TRUE(verdict.ok) << verdict.reason;
  const auto blended = result_of<T>(matrix, a.rows, x, 2, 4, 1);
  for (std::size_t r = 0; r < blended.size(); ++r) ASSERT_NEAR(blended[r], 2 * y[r] + 4, 1e-5 * (1 + std::abs(y[r])));
  spress_matrix_free(matrix);
}

TEST(InterfaceOnDevice, EveryFormatMultiplies) {
  NEEDS_DEVICE();
  const auto matrix = pipeline::load("gen:fem3d,n=8");
  ASSERT_TRUE(matrix.ok());
  const auto single = with_value_type(view_of(matrix->csr), ValueType::f32);
  ASSERT_TRUE(single.ok());
  for (const Spec& format : all_formats()) {
    expect_products<double>(matrix->csr, format.text());
    expect_products<float>(*single, format.text());
  }
}

/// The matrix is there when spress_to_device returns, also for streams that do not wait for the default one.
TEST(InterfaceOnDevice, StreamsOfTheirOwnMeetTheWholeMatrix) {
  NEEDS_DEVICE();
  const auto loaded = pipeline::load("gen:stencil27,n=90,values=noise");
  ASSERT_TRUE(loaded.ok());
  const Csr<Owned>& a = loaded->csr;
  const auto x = test_vector<double>(a.cols);
  const std::vector<double> start(a.rows, std::numeric_limits<double>::quiet_NaN());
  const auto x_there = cuda::upload(std::span<const double>(x), "x"), y_there = cuda::upload(std::span(start), "y");
  ASSERT_TRUE(x_there.ok() && y_there.ok() && cuda::synchronize().ok());
  const auto stream = cuda::make_stream();
  ASSERT_TRUE(stream.ok());
  const spress_arrays arrays = arrays_of(a);
  spress_csr* csr = nullptr;
  spress_matrix* matrix = nullptr;
  ASSERT_EQ(spress_csr_from_arrays(&arrays, &csr), SPRESS_OK);
  ASSERT_EQ(spress_encode(csr, "sell", "raw", nullptr, &matrix), SPRESS_OK) << spress_last_error();
  spress_csr_free(csr);
  ASSERT_EQ(spress_to_device(matrix), SPRESS_OK) << spress_last_error();
  ASSERT_EQ(spress_multiply_on_device(matrix, 1, x_there->as<double>(), 0, y_there->as<double>(), stream->get()),
            SPRESS_OK);
  ASSERT_TRUE(cuda::synchronize(stream->get()).ok());
  const auto y = cuda::download<double>(*y_there, a.rows).value();
  const auto verdict = judge(reference_product(view_of(a), x.data()), y.data());
  EXPECT_TRUE(verdict.ok) << verdict.reason;
  spress_matrix_free(matrix);
}

/// A matrix of no rows takes no y.
TEST(InterfaceOnDevice, EmptyVectorsNeedNoMemory) {
  NEEDS_DEVICE();
  const Csr<Owned> a = make_csr({"", 0, 3, {}, {}});
  const spress_arrays arrays = arrays_of(a);
  spress_csr* csr = nullptr;
  spress_matrix* matrix = nullptr;
  ASSERT_EQ(spress_csr_from_arrays(&arrays, &csr), SPRESS_OK);
  ASSERT_EQ(spress_encode(csr, "csr", "raw", nullptr, &matrix), SPRESS_OK) << spress_last_error();
  spress_csr_free(csr);
  ASSERT_EQ(spress_to_device(matrix), SPRESS_OK) << spress_last_error();
  const auto x = cuda::upload(std::span<const double>(std::vector<double>(3, 1)), "x");
  EXPECT_EQ(spress_multiply_on_device(matrix, 1, x->as<double>(), 0, nullptr, nullptr), SPRESS_OK)
      << spress_last_error();
  spress_matrix_free(matrix);
}

}  // namespace
}  // namespace spress::tests

#endif
