#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "encode/shared/any.hpp"
#include "formats/core/threads.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/spmm.hpp"
#include "pipeline/interface/handles.hpp"

namespace spress::interface {
namespace {

/// A dense block in any order: element (i, j) is data[i * row_step + j * col_step].
template <class T>
struct Block {
  T* data;
  std::int64_t row_step, col_step;

  [[nodiscard]] T& at(std::uint64_t i, std::int64_t j) const {
    return data[static_cast<std::int64_t>(i) * row_step + j * col_step];
  }
  /// The first element of a column; null in a block of nothing.
  [[nodiscard]] T* column(std::int64_t j) const { return data == nullptr ? nullptr : data + j * col_step; }
  [[nodiscard]] Block from_column(std::int64_t j) const { return {column(j), row_step, col_step}; }
};

/// Errors: not_applicable.
template <class T, class F>
Status check_type(const F& f) {
  if (multiplies<T>(f)) return Ok{};
  return Error{ErrorCode::not_applicable, fmt::format("the matrix holds {} values, and the vectors are {}",
                                                      enum_name(values_held(f).type), enum_name(value_type_of<T>))};
}

/// Calls set(i, j) for all elements of rows x cols, row by row.
template <class Set>
void for_each_element(std::uint64_t rows, std::int64_t cols, const Set& set) {
  const int threads = threads_worth(0, rows * static_cast<std::uint64_t>(cols));
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
  for (std::uint64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < cols; ++j) set(i, j);
}

/// Products of one matrix with blocks. Blocks that do not lie as kernels want them are copied.
template <class T, template <class> class F>
class Products {
 public:
  explicit Products(const F<Owned>& f) : view_(view_of(f)) {}

  /// y = alpha A x + beta y, of all `count` columns; y is not read where beta is 0.
  void multiply(std::int64_t count, T alpha, Block<const T> x, T beta, Block<T> y) {
    constexpr std::int64_t some = 16;  // bounds the memory, and fills lines of the cache
    const bool in_place = cpu::has_spmm<F> && x.col_step == 1 && y.col_step == 1 && alpha == T(1) && beta == T(0);
    const std::int64_t at_once = in_place ? count : some;
    for (std::int64_t j = 0; j < count; j += at_once)
      multiply_some(std::min(at_once, count - j), alpha, x.from_column(j), beta, y.from_column(j));
  }

 private:
  void multiply_some(std::int64_t count, T alpha, Block<const T> x, T beta, Block<T> y) {
    const std::int64_t least = x.col_step == 1 ? cpu::least_columns<F> : 8;  // copies cost as much as some products
    const bool together = cpu::has_spmm<F> && count >= least;
    if (together ? x.col_step != 1 : x.row_step != 1) x = copied(count, x, together);
    const bool in_place = alpha == T(1) && beta == T(0) && (together ? y.col_step : y.row_step) == 1;
    const Block<T> product = in_place ? y : room_for(result_, view_.rows, count, together);
    if constexpr (cpu::has_spmm<F>) {
      const auto columns = static_cast<std::uint64_t>(count);
      if (together) cpu::spmm<T>(view_, columns, row_major(x), row_major(product), threads_for(columns));
    }
    if (!together)
      for (std::int64_t j = 0; j < count; ++j) cpu::spmv<T>(view_, x.column(j), product.column(j), threads_for(1));
    if (in_place) return;
    for_each_element(view_.rows, count, [=](std::uint64_t i, std::int64_t j) {
      const T scaled = alpha * product.at(i, j);
      y.at(i, j) = beta == T(0) ? scaled : scaled + beta * y.at(i, j);
    });
  }

  /// One for a small product, else OpenMP's default. To wake a team takes as long as some thousand entries, and far
  /// longer where the processors have other work. Sixteen threads of a Xeon take 5.8 us for 9,440 entries and rows of
  /// CSR, one takes 4.6; for 14,800 they take 6.5, one takes 6.7.
  [[nodiscard]] int threads_for(std::uint64_t columns) const {
    constexpr std::uint64_t enough_for_two = 8192;
    return threads_worth(0, (view_.nnz + view_.rows) * columns, enough_for_two);
  }

  /// A block with its rows or its columns side by side.
  Block<T> room_for(HostArray<T>& memory, std::uint64_t rows, std::int64_t count, bool row_by_row) {
    if (memory.size() < rows * static_cast<std::uint64_t>(count))
      memory = HostArray<T>(rows * static_cast<std::uint64_t>(count));
    if (row_by_row) return {memory.data(), count, 1};
    return {memory.data(), 1, static_cast<std::int64_t>(rows)};
  }
  Block<const T> copied(std::int64_t count, Block<const T> x, bool row_by_row) {
    const Block<T> to = room_for(x_, view_.cols, count, row_by_row);
    for_each_element(view_.cols, count, [=](std::uint64_t i, std::int64_t j) { to.at(i, j) = x.at(i, j); });
    return {to.data, to.row_step, to.col_step};
  }
  template <class U>
  static cpu::RowMajor<U> row_major(Block<U> block) {
    return {block.data, block.row_step};
  }

  F<Viewed> view_;
  HostArray<T> x_, result_;
};

template <class T>
Status multiply(const spress_matrix* matrix, std::int64_t count, T alpha, Block<const T> x, T beta, Block<T> y) {
  SPRESS_CHECK(given(matrix, "matrix"));
  if (count < 0) return Error{ErrorCode::usage, fmt::format("{} vectors: expected 0 or more", count)};
  Status done = Ok{};
  with_any(matrix->format, [&]<template <class> class F>(const F<Owned>& f) {
    done = check_type<T>(f);
    if (done.ok() && f.cols > 0 && count > 0) done = given(x.data, "x");
    if (done.ok() && f.rows > 0 && count > 0) done = given(y.data, "y");
    if (!done.ok()) return;
    Products<T, F>(f).multiply(count, alpha, x, beta, y);
  });
  return done;
}

}  // namespace
}  // namespace spress::interface

using namespace spress;
using interface::guarded;

spress_result spress_multiply(const spress_matrix* matrix, double alpha, const double* x, double beta, double* y) {
  return guarded([&] { return interface::multiply<double>(matrix, 1, alpha, {x, 1, 0}, beta, {y, 1, 0}); });
}

spress_result spress_multiply_float(const spress_matrix* matrix, float alpha, const float* x, float beta, float* y) {
  return guarded([&] { return interface::multiply<float>(matrix, 1, alpha, {x, 1, 0}, beta, {y, 1, 0}); });
}

spress_result spress_multiply_block(const spress_matrix* matrix, int64_t count, double alpha, const double* x,
                                    int64_t x_row_stride, int64_t x_col_stride, double beta, double* y,
                                    int64_t y_row_stride, int64_t y_col_stride) {
  return guarded([&] {
    return interface::multiply<double>(matrix, count, alpha, {x, x_row_stride, x_col_stride}, beta,
                                       {y, y_row_stride, y_col_stride});
  });
}

spress_result spress_multiply_block_float(const spress_matrix* matrix, int64_t count, float alpha, const float* x,
                                          int64_t x_row_stride, int64_t x_col_stride, float beta, float* y,
                                          int64_t y_row_stride, int64_t y_col_stride) {
  return guarded([&] {
    return interface::multiply<float>(matrix, count, alpha, {x, x_row_stride, x_col_stride}, beta,
                                      {y, y_row_stride, y_col_stride});
  });
}
