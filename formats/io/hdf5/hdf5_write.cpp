#include "formats/io/hdf5/hdf5_write.hpp"

#include <array>
#include <string>

#include "formats/core/memory.hpp"
#include "formats/io/bytes/memory_file.hpp"
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
  SPRESS_TRY(const MemoryFile file, MemoryFile::create());
  SPRESS_CHECK(write_binsparse(a, said, comments, file.path()));
  std::array<char, 1 << 16> bytes;
  for (std::uint64_t done = 0;;) {
    SPRESS_TRY(const std::size_t got, file.read(done, bytes.data(), bytes.size()));
    if (got == 0) return Ok{};
    SPRESS_CHECK(to.extend(bytes.data(), got));
    done += got;
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
