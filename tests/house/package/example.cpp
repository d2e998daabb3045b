// Press a matrix: the program of docs/library.md.
#include <encode/shared/codec.hpp>
#include <kernels/cpu/spmv.hpp>
#include <pipeline/compress.hpp>
#include <pipeline/source.hpp>

#include <iostream>
#include <vector>

int main() {
  const auto matrix = spress::pipeline::load("gen:poisson2d,nx=20,ny=20");  // or the path of a file
  if (!matrix) {
    std::cerr << matrix.error().text() << "\n";
    return 1;
  }
  const auto done = spress::pipeline::compress(*matrix, {}, "poisson.spress");
  if (!done) {
    std::cerr << done.error().text() << "\n";
    return 1;
  }
  std::cout << done->format << ": " << done->encoded_bytes << " bytes, CSR " << done->csr_bytes << "\n";

  const auto csr = spress::view_of(matrix->csr);
  const auto sell = spress::encode<spress::Sell>(csr, {});
  if (!sell) return 1;
  const std::vector<double> x(csr.cols, 1.0);
  std::vector<double> y(csr.rows);
  spress::cpu::spmv<double, spress::Sell>(spress::view_of(*sell), x.data(), y.data());
  std::cout << "y[0] = " << y[0] << "\n";
}
