#include "pipeline/ranks/mpi_functions.hpp"

#include <mpi.h>

#include <algorithm>

namespace {

/// The ranks on the machine of this one.
MPI_Comm node = MPI_COMM_NULL;

int rank_in(MPI_Comm all) {
  int rank = 0;
  MPI_Comm_rank(all, &rank);
  return rank;
}
int size_of(MPI_Comm all) {
  int size = 0;
  MPI_Comm_size(all, &size);
  return size;
}

void start() {
  int given = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
}

int first_rank_on_node() {
  int first = rank_in(MPI_COMM_WORLD);
  MPI_Bcast(&first, 1, MPI_INT, 0, node);
  return first;
}

void broadcast(void* bytes, std::uint64_t count) {
  constexpr std::uint64_t piece = 1 << 30;  // MPI counts in int
  for (std::uint64_t at = 0; at < count; at += piece)
    MPI_Bcast(static_cast<char*>(bytes) + at, static_cast<int>(std::min(piece, count - at)), MPI_BYTE, 0,
              MPI_COMM_WORLD);
}

void add_up(std::uint64_t* values, int count) {
  MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
}

constexpr spress::pipeline::MpiFunctions functions = {
    .version = spress::pipeline::MpiFunctions::this_version,
    .start = start,
    .rank = [] { return rank_in(MPI_COMM_WORLD); },
    .size = [] { return size_of(MPI_COMM_WORLD); },
    .node = first_rank_on_node,
    .node_size = [] { return size_of(node); },
    .broadcast = broadcast,
    .add_up = add_up,
    .end = [] { MPI_Finalize(); },
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const spress::pipeline::MpiFunctions* spress_mpi_functions() {
  return &functions;
}
