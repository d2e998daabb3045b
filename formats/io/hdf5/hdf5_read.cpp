#include "formats/io/hdf5/hdf5_read.hpp"

#include <algorithm>

#include "formats/core/memory.hpp"
#include "formats/io/foreign/child_process.hpp"
#include "formats/io/foreign/stored_matrix.hpp"
#include "formats/io/hdf5/hdf5_object.hpp"
#include "formats/io/hdf5/matrix_search.hpp"
#include "formats/io/hdf5/placed_matrix.hpp"

namespace spress::io::hdf5 {
namespace {

/// The library keeps one chunk and its own tables in memory; numbers go to the output piece by piece.
ChildLimits limits_for(std::uint64_t file_bytes) {
  constexpr std::uint64_t least = std::uint64_t{1} << 30, ratio = 16, least_seconds = 30, bytes_a_second = 1 << 20;
  const std::uint64_t available = available_memory();
  return {std::min(available, least + ratio * file_bytes), available, least_seconds + file_bytes / bytes_a_second};
}

}  // namespace

Result<Matrix> read_matrix(const InputFile& file, const std::string& part, bool matlab, int threads) {
  const std::string opened = file.open_path();
  const std::uint64_t bytes = file.size();
  SPRESS_TRY(const ChildBytes output, run_in_child(limits_for(bytes), [&](ChildOutput& to) -> Status {
               prepare();
               SPRESS_TRY(const Object root, Object::open_file(opened, bytes));
               return hand_over_matrix(root, part, matlab, to);
             }));
  SPRESS_TRY(const ReceivedFile received, receive(output.bytes()));
  return assemble_stored(received.matrix, received.has_zeros ? &received.zeros : nullptr, threads);
}

}  // namespace spress::io::hdf5
