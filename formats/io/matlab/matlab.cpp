#include "formats/io/matlab/matlab.hpp"

#include "formats/io/foreign/hdf5.hpp"
#include "formats/io/matlab/mat5.hpp"

namespace spress::io {

bool is_matlab(std::string_view head) { return is_mat5(head) || head.starts_with("MATLAB 7.3 MAT-"); }

Result<Matrix> read_matlab(MatrixInput& input, const ReadOptions& options) {
  if (is_mat5(input.head())) return read_mat5(input.stream(), input.part(), options.threads);
  if (is_hdf5(input.head())) return read_hdf5(input, options);
  return Error{ErrorCode::unsupported, "is no MATLAB file of version 5 or newer; save the matrix with -v7 or -v7.3"};
}

}  // namespace spress::io
