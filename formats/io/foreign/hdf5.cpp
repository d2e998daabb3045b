#include "formats/io/foreign/hdf5.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "formats/core/memory.hpp"
#include "formats/io/bytes/input_file.hpp"
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
  return {ErrorCode::too_large, "does not fit into memory unpacked; unpack it into a file, and read that", {}, 0};
}

/// A file in memory with the rest of a stream: HDF5 is read in no order.
Result<std::shared_ptr<InputFile>> file_in_memory(ByteStream& stream) {
  const int memory = ::memfd_create("spress-input", MFD_CLOEXEC);
  if (memory < 0) return no_room();
  const std::unique_ptr<const int, void (*)(const int*)> closing(&memory, [](const int* file) { ::close(*file); });
  std::vector<char> bytes(std::size_t{1} << 20);
  const std::uint64_t most = available_memory() / 2;
  for (std::uint64_t all = 0;;) {
    SPRESS_TRY(const std::size_t got, stream.read(bytes.data(), bytes.size()));
    all += got;
    if (all > most) return no_room();
    for (std::size_t done = 0; done < got;) {
      const ssize_t taken = ::write(memory, bytes.data() + done, got - done);
      if (taken <= 0 && errno != EINTR) return no_room();
      done += static_cast<std::size_t>(std::max<ssize_t>(taken, 0));
    }
    if (got < bytes.size()) break;
  }
  return InputFile::open("/proc/self/fd/" + std::to_string(memory));
}

}  // namespace

Result<Matrix> read_hdf5(MatrixInput& input, const ReadOptions& options) {
  const bool matlab = input.head().starts_with("MATLAB");
  std::shared_ptr<InputFile> file = input.plain();
  if (file == nullptr) {
    SPRESS_TRY(file, file_in_memory(input.stream()));
  }
  // In an archive, the part is the member.
  return hdf5::read_matrix(*file, input.in_archive() ? "" : options.part, matlab, options.threads);
}

Status write_hdf5(const Csr<Viewed>& a, const MatrixInfo& info, const std::filesystem::path& path) {
  return hdf5::write_matrix(a, info, path);
}

#else
namespace {

Error missing() {
  return {
      ErrorCode::unsupported, "needs HDF5, which this build is without: install libhdf5-dev and build again", {}, 0};
}

}  // namespace

Result<Matrix> read_hdf5(MatrixInput&, const ReadOptions&) { return missing(); }
Status write_hdf5(const Csr<Viewed>&, const MatrixInfo&, const std::filesystem::path&) { return missing(); }
#endif

}  // namespace spress::io
