#include <fmt/format.h>

#include <type_traits>

#include "encode/shared/any.hpp"
#include "formats/core/threads.hpp"
#include "kernels/cpu/spmv.hpp"
#include "pipeline/interface/handles.hpp"

namespace spress::interface {
namespace {

/// A vector of a block: element i stands at data[i * stride].
template <class T>
struct Strided {
  T* data;
  std::int64_t stride;
  [[nodiscard]] T& operator[](std::uint64_t i) const { return data[static_cast<std::int64_t>(i) * stride]; }
};

/// Errors: not_applicable.
template <class T, class F>
Status check_type(const F& f) {
  if (multiplies<T>(f)) return Ok{};
  return Error{ErrorCode::not_applicable,
               fmt::format("the matrix holds {} values, and the vectors are {}", enum_name(values_held(f).type),
                           enum_name(value_type_of<T>)),
               {},
               0};
}

/// y = alpha p + beta y, elementwise; y is not read where beta is 0.
template <class T>
void blend(T alpha, const T* p, T beta, Strided<T> y, std::uint64_t n) {
  const int threads = threads_worth(0, n);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (std::uint64_t i = 0; i < n; ++i) y[i] = beta == T(0) ? alpha * p[i] : alpha * p[i] + beta * y[i];
}

/// Products of one matrix with many vectors. What does not lie as kernels want it goes through vectors of its own.
template <class T, template <class> class F>
class Products {
 public:
  explicit Products(const F<Owned>& f) : view_(view_of(f)) {}

  void multiply(T alpha, Strided<const T> x, T beta, Strided<T> y) {
    const T* dense = x.stride == 1 ? x.data : gathered(x);
    if (alpha == T(1) && beta == T(0) && y.stride == 1) return cpu::spmv<T>(view_, dense, y.data);
    if (result_.empty()) result_ = HostArray<T>(view_.rows);
    cpu::spmv<T>(view_, dense, result_.data());
    blend(alpha, result_.data(), beta, y, view_.rows);
  }

 private:
  const T* gathered(Strided<const T> x) {
    if (x_.empty()) x_ = HostArray<T>(view_.cols);
    for (std::uint64_t i = 0; i < view_.cols; ++i) x_[i] = x[i];
    return x_.data();
  }

  F<Viewed> view_;
  HostArray<T> x_, result_;
};

template <class T>
Status multiply(const spress_matrix* matrix, std::int64_t count, T alpha, Strided<const T> x, std::int64_t x_step,
                T beta, Strided<T> y, std::int64_t y_step) {
  SPRESS_CHECK(given(matrix, "matrix"));
  if (count < 0) return Error{ErrorCode::usage, fmt::format("{} vectors: expected 0 or more", count), {}, 0};
  Status done = Ok{};
  with_any(matrix->format, [&]<template <class> class F>(const F<Owned>& f) {
    done = check_type<T>(f);
    if (done.ok() && f.cols > 0 && count > 0) done = given(x.data, "x");
    if (done.ok() && f.rows > 0 && count > 0) done = given(y.data, "y");
    if (!done.ok()) return;
    Products<T, F> products(f);
    for (std::int64_t k = 0; k < count; ++k)
      products.multiply(alpha, {x.data + k * x_step, x.stride}, beta, {y.data + k * y_step, y.stride});
  });
  return done;
}

}  // namespace
}  // namespace spress::interface

using namespace spress;
using interface::guarded;

spress_result spress_multiply(const spress_matrix* matrix, double alpha, const double* x, double beta, double* y) {
  return guarded([&] { return interface::multiply<double>(matrix, 1, alpha, {x, 1}, 0, beta, {y, 1}, 0); });
}

spress_result spress_multiply_float(const spress_matrix* matrix, float alpha, const float* x, float beta, float* y) {
  return guarded([&] { return interface::multiply<float>(matrix, 1, alpha, {x, 1}, 0, beta, {y, 1}, 0); });
}

spress_result spress_multiply_block(const spress_matrix* matrix, int64_t count, double alpha, const double* x,
                                    int64_t x_row_stride, int64_t x_col_stride, double beta, double* y,
                                    int64_t y_row_stride, int64_t y_col_stride) {
  return guarded([&] {
    return interface::multiply<double>(matrix, count, alpha, {x, x_row_stride}, x_col_stride, beta, {y, y_row_stride},
                                       y_col_stride);
  });
}

spress_result spress_multiply_block_float(const spress_matrix* matrix, int64_t count, float alpha, const float* x,
                                          int64_t x_row_stride, int64_t x_col_stride, float beta, float* y,
                                          int64_t y_row_stride, int64_t y_col_stride) {
  return guarded([&] {
    return interface::multiply<float>(matrix, count, alpha, {x, x_row_stride}, x_col_stride, beta, {y, y_row_stride},
                                      y_col_stride);
  });
}
