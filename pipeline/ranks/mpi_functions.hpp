// The functions of MPI that spress needs. They live in a library of their own, libspress_mpi.so, so that one program
// serves machines with and without MPI. Only C crosses the border: the program has its C++ runtime linked in.
#pragma once

#include <cstdint>

namespace spress::pipeline {

/// All ranks call the same functions in the same order. After an error MPI ends them all.
struct MpiFunctions {
  static constexpr int this_version = 1;

  int version;  ///< this_version of the library
  void (*start)();
  int (*rank)();
  int (*size)();
  int (*node)();                                        ///< the first rank on this one's machine
  int (*node_size)();                                   ///< the ranks on it
  void (*broadcast)(void* bytes, std::uint64_t count);  ///< from rank 0
  void (*add_up)(std::uint64_t* values, int count);     ///< the sums over all ranks, on each
  void (*end)();                                        ///< the last call
};

/// The library's one function, and its name.
using GetMpiFunctions = const MpiFunctions*();
inline constexpr const char* get_mpi_functions = "spress_mpi_functions";

}  // namespace spress::pipeline
