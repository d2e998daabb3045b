#include "formats/io/hdf5/hdf5_write.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "formats/core/memory.hpp"
#include "formats/io/bytes/output_file.hpp"
#include "formats/io/entries/declaration.hpp"
#include "formats/io/foreign/child_process.hpp"
#include "formats/io/hdf5/binsparse_write.hpp"
#include "formats/io/hdf5/hdf5_object.hpp"

namespace spress::io::hdf5 {
namespace {

/// Numbers are written piece by piece.
ChildLimits limits_for(const Csr<Viewed>& a) {
  constexpr std::uint64_t memory = std::uint64_t{1} << 30, least_seconds = 600, entries_a_second = 1 << 20;
  return {memory, available_memory(), least_seconds + (a.nnz + a.rows) / entries_a_second};
}

/// A pipe takes the file from memory, since HDF5 writes in no order.
Status write_in_memory(const Csr<Viewed>& a, const Declaration& said, const std::string& comments, ChildOutput& to) {
  const int memory = ::memfd_create("spress-hdf5", MFD_CLOEXEC);
  SPRESS_CHECK(write_binsparse(a, said, comments, "/proc/self/fd/" + std::to_string(memory)));
  std::array<char, 1 << 16> bytes;
  for (;;) {
    const ssize_t got = ::read(memory, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Ok{};
    SPRESS_CHECK(to.extend(bytes.data(), static_cast<std::size_t>(got)));
  }
}

Status write_declared(const Csr<Viewed>& a, const MatrixInfo& info, const std::filesystem::path& path) {
  const Declaration said = declare(a, info);
  SPRESS_TRY(OutputFile file, OutputFile::create(path));
  SPRESS_TRY(const ChildBytes bytes, run_in_child(limits_for(a), [&](ChildOutput& to) -> Status {
               prepare();
               if (!file.seekable()) return write_in_memory(a, said, info.comments, to);
               return write_binsparse(a, said, info.comments, file.open_path());
             }));
  if (!file.seekable()) SPRESS_CHECK(file.write(bytes.bytes().data(), bytes.bytes().size()));
  return file.commit();
}

}  // namespace

Status write_matrix(const Csr<Viewed>& a, const MatrixInfo& info, const std::filesystem::path& path) {
  return write_plain(a, path, [&](const Csr<Viewed>& plain) { return write_declared(plain, info, path); });
}

}  // namespace spress::io::hdf5
