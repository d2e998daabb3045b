#include "kernels/cpu/bmsparse_csr.hpp"

#include "kernels/cpu/spmv.hpp"

namespace spress::cpu {
namespace {

template <class T>
void multiply(const BmSparseCsr<Viewed>& a, const T* x, T* y, int threads) {
  multiply_block_rows(a, x, threads, [&](std::uint64_t row, std::uint64_t height, const T* sums) {
    std::copy_n(sums, height, y + row);
  });
}

}  // namespace

template <>
void spmv<float, BmSparseCsr>(const BmSparseCsr<Viewed>& a, const float* x, float* y, int threads) {
  multiply(a, x, y, threads);
}
template <>
void spmv<double, BmSparseCsr>(const BmSparseCsr<Viewed>& a, const double* x, double* y, int threads) {
  multiply(a, x, y, threads);
}

}  // namespace spress::cpu
