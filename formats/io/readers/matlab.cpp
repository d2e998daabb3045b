#include "formats/io/readers/matlab.hpp"

#include <new>
#include <utility>

#include "formats/io/bytes/byte_stream.hpp"
#include "formats/io/bytes/endings.hpp"
#include "formats/io/matlab/mat5.hpp"
#include "formats/io/readers/hdf5.hpp"

namespace spress::io {
namespace {

Result<Matrix> read(const std::shared_ptr<InputFile>& file, const ReadOptions& options) {
  if (!is_mat5(file->head()) && compression_of(file->head()) == Compression::none) return read_hdf5(file, options);
  SPRESS_TRY(const auto stream, decompress(compression_of(file->head()), file_stream(file)));
  return read_mat5(*stream, options.part, file->path(), options.threads);
}

}  // namespace

bool is_matlab(std::string_view head) {
  return head.starts_with("MATLAB 5.0 MAT-") || head.starts_with("MATLAB 7.3 MAT-");
}

Result<Matrix> read_matlab(const std::shared_ptr<InputFile>& file, const ReadOptions& options) {
  Result<Matrix> matrix = out_of_memory();
  try {
    matrix = read(file, options);
  } catch (const std::bad_alloc&) {
  }
  if (auto same = file->unchanged(); !same.ok()) matrix = std::move(same).error();
  if (!matrix.ok()) matrix.error().file = file->path().string();
  return matrix;
}

}  // namespace spress::io
