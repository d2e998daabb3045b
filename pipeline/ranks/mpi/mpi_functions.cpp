#include "pipeline/ranks/mpi_functions.hpp"

#include <mpi.h>

#include <algorithm>
#include <vector>

namespace {

constexpr std::uint64_t piece = 1 << 30;  ///< bytes of a message: MPI counts in int

/// The ranks on the machine of this one.
MPI_Comm node = MPI_COMM_NULL;
/// All that post() began.
std::vector<MPI_Request> posted;

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
  for (std::uint64_t at = 0; at < count; at += piece)
    MPI_Bcast(static_cast<char*>(bytes) + at, static_cast<int>(std::min(piece, count - at)), MPI_BYTE, 0,
              MPI_COMM_WORLD);
}

void gather(const void* mine, std::uint64_t count, void* all) {
  const int bytes = static_cast<int>(count);
  MPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

/// Calls begin(bytes, count, request) for the pieces of a message.
template <class Begin>
void post_pieces(const spress::pipeline::RankMessage& message, const Begin& begin) {
  for (std::uint64_t at = 0; at < message.count; at += piece)
    begin(static_cast<char*>(message.bytes) + at, static_cast<int>(std::min(piece, message.count - at)),
          &posted.emplace_back(MPI_REQUEST_NULL));
}

void post(const spress::pipeline::RankMessage* received, int receives, const spress::pipeline::RankMessage* sent,
          int sends) {
  for (int i = 0; i < receives; ++i)
    post_pieces(received[i], [&](char* bytes, int count, MPI_Request* request) {
      MPI_Irecv(bytes, count, MPI_BYTE, received[i].rank, 0, MPI_COMM_WORLD, request);
    });
  for (int i = 0; i < sends; ++i)
    post_pieces(sent[i], [&](char* bytes, int count, MPI_Request* request) {
      MPI_Isend(bytes, count, MPI_BYTE, sent[i].rank, 0, MPI_COMM_WORLD, request);
    });
}

void wait_for_posted() {
  MPI_Waitall(static_cast<int>(posted.size()), posted.data(), MPI_STATUSES_IGNORE);
  posted.clear();
}

constexpr spress::pipeline::MpiFunctions functions = {
    .version = spress::pipeline::MpiFunctions::this_version,
    .start = start,
    .rank = [] { return rank_in(MPI_COMM_WORLD); },
    .size = [] { return size_of(MPI_COMM_WORLD); },
    .node = first_rank_on_node,
    .node_size = [] { return size_of(node); },
    .broadcast = broadcast,
    .gather = gather,
    .post = post,
    .wait = wait_for_posted,
    .abort = [](int exit_code) { MPI_Abort(MPI_COMM_WORLD, exit_code); },
    .end = [] { MPI_Finalize(); },
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const spress::pipeline::MpiFunctions* spress_mpi_functions() {
  return &functions;
}
