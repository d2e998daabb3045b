// A program of somebody else's: generate, encode, multiply, read, ask for a GPU. Links every library behind
// spress::spress, those with packages of their own (zstd, libarchive, CUDA) included.
#include <encode/shared/codec.hpp>
#include <formats/gallery/gallery.hpp>
#include <formats/io/container/container.hpp>
#include <formats/io/matrix_market/matrix_market.hpp>
#include <kernels/cpu/spmv.hpp>
#include <pipeline/device/device.hpp>
#include <string>
#include <vector>

int main(int, char** arguments) {
  const auto spec = spress::parse_spec("poisson2d:nx=20,ny=20");
  if (!spec) return 1;
  const auto matrix = spress::gallery::generate(*spec);
  if (!matrix) return 2;
  const auto csr = spress::view_of(matrix->csr);
  const auto pressed = spress::encode<spress::OptCsr>(csr, {});
  if (!pressed || !spress::identical(spress::decode<spress::OptCsr>(spress::view_of(*pressed)), matrix->csr)) return 3;
  const std::vector<double> x(csr.cols, 1.0);
  std::vector<double> y(csr.rows, -1.0);
  spress::cpu::spmv<double, spress::OptCsr>(spress::view_of(*pressed), x.data(), y.data());
  if (y[0] != 2.0 || y[21] != 0.0) return 4;  // the corner of the grid has two neighbours, a point inside has four
  const auto gpu = spress::pipeline::find_device(spress::pipeline::DeviceKind::cuda);
  if (!gpu && gpu.error().code != spress::ErrorCode::unsupported) return 6;
  return spress::io::read_matrix_market(std::string(arguments[0]) + ".missing.mtx").ok() ? 5 : 0;
}
