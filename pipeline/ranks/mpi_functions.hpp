// The functions of MPI that spress needs. They live in a library of their own, libspress_mpi.so, so that one program
// serves machines with and without MPI. Only C crosses the border: the program has its C++ runtime linked in.
#pragma once

#include <cstdint>

namespace spress::pipeline {

/// Bytes that go to a rank or come from one.
struct RankMessage {
  int rank;
  void* bytes;  ///< only read where they are sent
  std::uint64_t count;
};

/// All ranks call the same functions in the same order. After an error MPI ends them all.
struct MpiFunctions {
  static constexpr int this_version = 2;

  int version;  ///< this_version of the library
  void (*start)();
  int (*rank)();
  int (*size)();
  int (*node)();                                        ///< the first rank on this one's machine
  int (*node_size)();                                   ///< the ranks on it
  void (*broadcast)(void* bytes, std::uint64_t count);  ///< from rank 0
  /// Puts `count` bytes of each rank, in their order, into `all` on each.
  void (*gather)(const void* mine, std::uint64_t count, void* all);
  /// Begins to receive and to send, each message of at least a byte. A rank sends to another what that one receives.
  void (*post)(const RankMessage* received, int receives, const RankMessage* sent, int sends);
  void (*wait)();                ///< until all that was posted has come and has left
  void (*abort)(int exit_code);  ///< ends all processes
  void (*end)();                 ///< the last call
};

/// The library's one function, and its name.
using GetMpiFunctions = const MpiFunctions*();
inline constexpr const char* get_mpi_functions = "spress_mpi_functions";

}  // namespace spress::pipeline
