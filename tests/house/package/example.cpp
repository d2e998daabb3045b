#include <encode/shared/codec.hpp>
#include <iostream>
#include <kernels/cpu/spmv.hpp>
#include <pipeline/compress.hpp>
#include <pipeline/source.hpp>
#include <vector>

int main() {
  // A generated matrix. The path of a file works as well.
  const auto matrix = spress::pipeline::load("gen:poisson2d,nx=20,ny=20");
  if (!matrix) {
    std::cerr << matrix.error().text() << "\n";
    return 1;
  }

  // Choose the format and the value store with the fewest bytes, and write a file.
  const auto done = spress::pipeline::compress(*matrix, {}, "poisson.spress");
  if (!done) {
    std::cerr << done.error().text() << "\n";
    return 1;
  }
  std::cout << done->format << " takes " << done->encoded_bytes << " bytes, csr " << done->csr_bytes << "\n";

  // Encode in one format, and multiply: y = A x.
  const auto csr = spress::view_of(matrix->csr);
  const auto sell = spress::encode<spress::Sell>(csr, {});
  if (!sell) return 1;
  const std::vector<double> x(csr.cols, 1.0);
  std::vector<double> y(csr.rows);
  spress::cpu::spmv<double, spress::Sell>(spress::view_of(*sell), x.data(), y.data());
  std::cout << "y[0] is " << y[0] << "\n";
}
