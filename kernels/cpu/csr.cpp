#include "kernels/cpu/parallel.hpp"
#include "kernels/cpu/spmv.hpp"

namespace spress::cpu {
namespace {

template <class T, class Position, class Values>
void multiply_rows(std::uint64_t first, std::uint64_t last, const Position* row_ptr, const std::uint32_t* col_idx,
                   Values values, const T* x, T* y) {
  for (std::uint64_t r = first; r < last; ++r) {
    T sum = 0;
    for (std::uint64_t k = row_ptr[r]; k < row_ptr[r + 1]; ++k) sum += values[k] * x[col_idx[k]];
    y[r] = sum;
  }
}

template <class T>
void multiply(const Csr<Viewed>& a, const T* x, T* y, int threads) {
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    with_accessor<T>(a.values, [&](auto values) {
      for_balanced_pieces(row_ptr, a.rows, threads, [&](std::uint64_t first, std::uint64_t last) {
        multiply_rows(first, last, row_ptr, a.col_idx.data(), values, x, y);
      });
    });
  });
}

}  // namespace

template <>
void spmv<float, Csr>(const Csr<Viewed>& a, const float* x, float* y, int threads) {
  multiply(a, x, y, threads);
}
template <>
void spmv<double, Csr>(const Csr<Viewed>& a, const double* x, double* y, int threads) {
  multiply(a, x, y, threads);
}

}  // namespace spress::cpu
