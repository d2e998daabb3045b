#include "formats/io/readers/hdf5.hpp"

#include <array>
#include <new>
#include <string>
#include <utility>

#include "formats/io/bytes/endings.hpp"
#ifdef SPRESS_WITH_HDF5
#include "formats/io/hdf5/hdf5_read.hpp"
#include "formats/io/hdf5/hdf5_write.hpp"
#endif

namespace spress::io {
namespace {

using namespace std::string_view_literals;
constexpr std::string_view signature = "\x89HDF\r\n\x1a\n"sv;

Result<Matrix> read([[maybe_unused]] const InputFile& file, [[maybe_unused]] const ReadOptions& options) {
#ifdef SPRESS_WITH_HDF5
  if (!file.is_regular())
    return Error{ErrorCode::unsupported, "is an HDF5 file in a pipe, where it cannot be read; give a file", {}, 0};
  const bool matlab = file.head().starts_with("MATLAB");
  return hdf5::read_matrix(file, options.part, matlab, file.path(), options.threads);
#else
  return Error{ErrorCode::unsupported,
               "is an HDF5 file, and this build is without HDF5: install libhdf5-dev and build again",
               {},
               0};
#endif
}

}  // namespace

Result<bool> is_hdf5(const InputFile& file) {
  if (file.head().starts_with(signature)) return true;
  if (!file.is_regular() || compression_of(file.head()) != Compression::none) return false;
  constexpr std::uint64_t first_block = 512, last_block = 1 << 20;  // behind a user's own block
  for (std::uint64_t at = first_block; at <= last_block && at < file.size(); at *= 2) {
    std::array<char, signature.size()> bytes;
    SPRESS_TRY(const std::size_t got, file.read_at(at, bytes.data(), bytes.size()));
    if (std::string_view(bytes.data(), got) == signature) return true;
  }
  return false;
}

Result<Matrix> read_hdf5(const std::shared_ptr<InputFile>& file, const ReadOptions& options) {
  Result<Matrix> matrix = out_of_memory();
  try {
    matrix = read(*file, options);
  } catch (const std::bad_alloc&) {
  }
  if (auto same = file->unchanged(); !same.ok()) matrix = std::move(same).error();
  if (!matrix.ok()) matrix.error().file = file->path().string();
  return matrix;
}

#ifdef SPRESS_WITH_HDF5
Status write_hdf5(const Csr<Viewed>& a, const MatrixInfo& info, const std::filesystem::path& path) {
  return hdf5::write_matrix(a, info, path);
}
#else
Status write_hdf5(const Csr<Viewed>&, const MatrixInfo&, const std::filesystem::path& path) {
  return Error{ErrorCode::unsupported,
               "cannot be written, since this build is without HDF5: install libhdf5-dev and build again",
               path.string(), 0};
}
#endif

}  // namespace spress::io
