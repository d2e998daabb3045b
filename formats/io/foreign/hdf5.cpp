#include "formats/io/foreign/hdf5.hpp"

#include <memory>
#include <string>
#include <vector>

#include "formats/core/memory.hpp"
#include "formats/io/bytes/input_file.hpp"
#include "formats/io/bytes/memory_file.hpp"
#ifdef SPRESS_WITH_HDF5
#include "formats/io/hdf5/hdf5_read.hpp"
#include "formats/io/hdf5/hdf5_write.hpp"
#endif

namespace spress::io {

using namespace std::string_view_literals;

bool is_hdf5(std::string_view head) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n"sv;
  constexpr std::size_t user_block = 512;
  return head.starts_with(signature) || (head.size() > user_block && head.substr(user_block).starts_with(signature));
}

#ifdef SPRESS_WITH_HDF5
namespace {

Error no_room() {
  return {ErrorCode::too_large, "does not fit into memory unpacked; unpack it into a file, and read that"};
}

/// A file in memory with the rest of a stream: HDF5 is read in no order.
Result<std::shared_ptr<InputFile>> file_in_memory(ByteStream& stream) {
  SPRESS_TRY(const MemoryFile memory, MemoryFile::create());
  std::vector<char> bytes(std::size_t{1} << 20);
  const std::uint64_t most = available_memory() / 2;
  for (std::uint64_t all = 0;;) {
    SPRESS_TRY(const std::size_t got, stream.read(bytes.data(), bytes.size()));
    if (all + got > most || !memory.write(all, bytes.data(), got)) return no_room();
    all += got;
    if (got < bytes.size()) break;
  }
  return InputFile::open(memory.path());
}

}  // namespace

Result<Matrix> read_hdf5(MatrixInput& input, const ReadOptions& options) {
  const bool matlab = input.head().starts_with("MATLAB");
  std::shared_ptr<InputFile> file = input.plain();
  if (file == nullptr) {
    SPRESS_TRY(file, file_in_memory(input.stream()));
  }
  return hdf5::read_matrix(*file, input.part(), matlab, options.threads);
}

Status write_hdf5(const Csr<Viewed>& a, const MatrixInfo& info, const std::filesystem::path& path) {
  return hdf5::write_matrix(a, info, path);
}

#else
namespace {

Error missing() {
  return {ErrorCode::unsupported, "needs HDF5, which this build is without: install libhdf5-dev and build again"};
}

}  // namespace

Result<Matrix> read_hdf5(MatrixInput&, const ReadOptions&) { return missing(); }
Status write_hdf5(const Csr<Viewed>&, const MatrixInfo&, const std::filesystem::path&) { return missing(); }
#endif

}  // namespace spress::io
