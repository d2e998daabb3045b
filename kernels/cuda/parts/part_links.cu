#include <algorithm>
#include <cstring>
#include <cuda/atomic>
#include <exception>

#include "kernels/cuda/cg_passes.cuh"
#include "kernels/cuda/device/check.cuh"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/parts/part_links.hpp"

namespace spress::cuda {
namespace {

using cg::Sums;

constexpr unsigned block_size = 256;
constexpr unsigned most_blocks = 64;                ///< of a kernel that sends or takes
constexpr std::uint64_t patience = 60'000'000'000;  ///< nanoseconds

/// Numbers of the exchanges and of the sums that are done. Even and odd rounds have room of their own. That is enough:
/// a process begins the round after next only when all others have ended this one.
struct Rounds {
  std::uint64_t exchanged, added;
  unsigned taking;  ///< blocks of `take` that are done
};

/// The place of something in the memory that a process lets the others write.
struct Layout {
  std::uint64_t size;

  [[nodiscard]] __host__ __device__ std::uint64_t arrived(std::uint64_t rank) const { return 8 * rank; }
  [[nodiscard]] __host__ __device__ std::uint64_t added(std::uint64_t rank) const { return 8 * (size + rank); }
  [[nodiscard]] __host__ __device__ std::uint64_t sums(std::uint64_t round, std::uint64_t rank) const {
    return 16 * size + sizeof(Sums) * ((round & 1) * size + rank);
  }
  [[nodiscard]] __host__ __device__ std::uint64_t elements() const {
    return (16 * size + 2 * sizeof(Sums) * size + 255) / 256 * 256;
  }
};

/// Elements that one neighbor needs.
template <class T>
struct Delivery {
  const std::uint32_t* elements;
  std::uint64_t count;
  T* to[2];  ///< in the neighbor's memory, for even and odd rounds
  std::uint64_t* arrived;
  unsigned sent;  ///< blocks that are done
};

__device__ void set(std::uint64_t* number, std::uint64_t round) {
  ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_system>(*number).store(round, ::cuda::memory_order_release);
}

__device__ std::uint64_t nanoseconds() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

__device__ void wait_for(std::uint64_t* number, std::uint64_t round) {
  const std::uint64_t start = nanoseconds();
  const ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_system> seen(*number);
  while (seen.load(::cuda::memory_order_acquire) < round)
    if (nanoseconds() - start > patience) __trap();
}

/// Whether this block is the last of so many to count itself. What all have written is seen by then.
__device__ bool is_last(unsigned* done, unsigned blocks) {
  __shared__ bool last;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(done, 1) == blocks - 1;
  __syncthreads();
  return last;
}

/// blockIdx.y: the neighbor.
template <class T>
__global__ void __launch_bounds__(block_size) send_elements(Delivery<T>* deliveries, const T* x, const Rounds* rounds) {
  Delivery<T>& delivery = deliveries[blockIdx.y];
  const std::uint64_t round = rounds->exchanged + 1;
  T* to = delivery.to[round & 1];
  const std::uint64_t stride = std::uint64_t{gridDim.x} * block_size;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * block_size + threadIdx.x; i < delivery.count; i += stride)
    to[i] = x[delivery.elements[i]];
  if (!is_last(&delivery.sent, gridDim.x) || threadIdx.x != 0) return;
  delivery.sent = 0;
  __threadfence_system();
  set(delivery.arrived, round);
}

template <class T>
__global__ void __launch_bounds__(block_size)
    take_elements(char* shared, Layout layout, const int* neighbors, unsigned neighbor_count, std::uint64_t ghosts,
                  T* out, Rounds* rounds) {
  const std::uint64_t round = rounds->exchanged + 1;
  for (unsigned i = threadIdx.x; i < neighbor_count; i += block_size)
    wait_for(reinterpret_cast<std::uint64_t*>(shared + layout.arrived(neighbors[i])), round);
  __syncthreads();
  const T* from = reinterpret_cast<const T*>(shared + layout.elements()) + (round & 1) * ghosts;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * block_size;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * block_size + threadIdx.x; i < ghosts; i += stride)
    out[i] = __ldcg(from + i);
  if (!is_last(&rounds->taking, gridDim.x) || threadIdx.x != 0) return;
  rounds->taking = 0;
  rounds->exchanged = round;
}

/// In one block. shared: of each process, seen from here.
__global__ void __launch_bounds__(cg::block_size)
    add_sums(Sums* pairs, unsigned count, char* const* shared, unsigned rank, unsigned size, Rounds* rounds) {
  __shared__ Sums scratch[warp_size];
  const Sums mine = cg::sum_over_block(threadIdx.x < count ? pairs[threadIdx.x] : Sums{}, scratch);
  const Layout layout{size};
  const std::uint64_t round = rounds->added + 1;
  if (threadIdx.x < size) {
    char* const theirs = shared[threadIdx.x];
    *reinterpret_cast<Sums*>(theirs + layout.sums(round, rank)) = mine;
    __threadfence_system();
    set(reinterpret_cast<std::uint64_t*>(theirs + layout.added(rank)), round);
    wait_for(reinterpret_cast<std::uint64_t*>(shared[rank] + layout.added(threadIdx.x)), round);
  }
  __syncthreads();
  if (threadIdx.x < count) {
    Sums total = {};
    for (unsigned r = 0; threadIdx.x == 0 && r < size; ++r) {
      const auto* of_r = reinterpret_cast<const volatile double*>(shared[rank] + layout.sums(round, r));
      total = total + Sums{of_r[0], of_r[1]};
    }
    pairs[threadIdx.x] = total;
  }
  if (threadIdx.x == 0) rounds->added = round;
}

template <class T>
__global__ void __launch_bounds__(block_size)
    add_rows(T* y, const std::uint32_t* rows, const T* values, std::uint64_t count) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * block_size;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * block_size + threadIdx.x; i < count; i += stride)
    y[rows[i]] += values[i];
}

/// So many values of each process.
template <class V>
std::vector<V> gathered(const PartPeers& peers, std::span<const V> mine) {
  const auto bytes = peers.gather(std::as_bytes(mine));
  std::vector<V> all(mine.size() * static_cast<std::size_t>(peers.size));
  std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

}  // namespace

template <class T>
struct PartLinks<T>::State {
  PartPeers peers;
  Layout layout;
  std::uint64_t ghost_count = 0, most_sent = 0;
  unsigned neighbor_count = 0;
  DeviceMemory shared, ghosts, rounds, seen, neighbors, deliveries;
  std::vector<DeviceMemory> elements;
  struct Shown {
    cudaIpcMemHandle_t handle;
    cudaError_t code;
  };
  std::vector<Shown> shown;  ///< of each process
  std::vector<std::uint64_t>
      places;                 ///< of each process, where those of every other begin among its ghosts, and their number
  std::vector<void*> opened;  ///< of each process; null for this one

  Status connect(const std::vector<PartNeighbor>& with);
  Status allocate_all();
  void show_others(const std::vector<PartNeighbor>& with);
  Status open_others();
  Status prepare_deliveries(const std::vector<PartNeighbor>& with);
  [[nodiscard]] char* of(int rank) const {
    return static_cast<char*>(rank == peers.rank ? shared.data() : opened[static_cast<std::size_t>(rank)]);
  }
};

template <class T>
Status PartLinks<T>::State::allocate_all() {
  SPRESS_TRY(shared, allocate(layout.elements() + 2 * ghost_count * sizeof(T), "the elements of other processes"));
  SPRESS_TRY(ghosts, allocate(ghost_count * sizeof(T), "the elements of other processes"));
  SPRESS_TRY(rounds, allocate(sizeof(Rounds), "the counts of exchanges"));
  SPRESS_CHECK(fill_bytes(shared.data(), 0, shared.bytes()));
  SPRESS_CHECK(fill_bytes(rounds.data(), 0, rounds.bytes()));
  return synchronize();
}

/// Tells the others what they have to know of this process. It does so even if this process cannot go on, since they
/// wait for it.
template <class T>
void PartLinks<T>::State::show_others(const std::vector<PartNeighbor>& with) {
  Shown mine = {};
  mine.code = cudaIpcGetMemHandle(&mine.handle, shared.data());
  static_cast<void>(cudaGetLastError());
  shown = gathered(peers, std::span<const Shown>(&mine, 1));
  std::vector<std::uint64_t> own(static_cast<std::size_t>(peers.size) + 1);
  for (const PartNeighbor& n : with) own[static_cast<std::size_t>(n.rank)] = n.first_ghost;
  own.back() = ghost_count;
  places = gathered(peers, std::span<const std::uint64_t>(own));
}

template <class T>
Status PartLinks<T>::State::open_others() {
  opened.resize(shown.size());
  std::vector<char*> addresses;
  for (std::size_t r = 0; r < shown.size(); ++r) {
    SPRESS_CUDA_TRY(shown[r].code);
    if (static_cast<int>(r) != peers.rank)
      SPRESS_CUDA_TRY(cudaIpcOpenMemHandle(&opened[r], shown[r].handle, cudaIpcMemLazyEnablePeerAccess));
    addresses.push_back(of(static_cast<int>(r)));
  }
  SPRESS_TRY(seen, upload(std::span<char* const>(addresses), "the addresses of other processes"));
  return Ok{};
}

template <class T>
Status PartLinks<T>::State::prepare_deliveries(const std::vector<PartNeighbor>& with) {
  std::vector<Delivery<T>> made;
  std::vector<int> ranks;
  for (const PartNeighbor& n : with) {
    const auto* theirs = places.data() + static_cast<std::size_t>(n.rank) * (shown.size() + 1);
    T* first = reinterpret_cast<T*>(of(n.rank) + layout.elements()) + theirs[peers.rank];
    SPRESS_TRY(auto list, upload(n.sends, "the list of elements for other processes"));
    elements.push_back(std::move(list));
    auto* arrived =
        reinterpret_cast<std::uint64_t*>(of(n.rank) + layout.arrived(static_cast<std::uint64_t>(peers.rank)));
    made.push_back({elements.back().template as<const std::uint32_t>(),
                    n.sends.size(),
                    {first, first + theirs[shown.size()]},
                    arrived,
                    0});
    ranks.push_back(n.rank);
    most_sent = std::max<std::uint64_t>(most_sent, n.sends.size());
  }
  neighbor_count = static_cast<unsigned>(with.size());
  SPRESS_TRY(deliveries, upload(std::span<const Delivery<T>>(made), "the deliveries to other processes"));
  SPRESS_TRY(neighbors, upload(std::span<const int>(ranks), "the list of neighbors"));
  return Ok{};
}

template <class T>
Status PartLinks<T>::State::connect(const std::vector<PartNeighbor>& with) {
  const Status allocated = allocate_all();
  show_others(with);
  SPRESS_CHECK(allocated);
  SPRESS_CHECK(open_others());
  return prepare_deliveries(with);
}

template <class T>
PartLinks<T>::PartLinks(std::unique_ptr<State> state) : state_(std::move(state)) {}

template <class T>
PartLinks<T>::~PartLinks() {
  static_cast<void>(cudaDeviceSynchronize());
  for (void* memory : state_->opened)
    if (memory != nullptr) static_cast<void>(cudaIpcCloseMemHandle(memory));
  // None releases what another still has open.
  if (std::uncaught_exceptions() == 0) static_cast<void>(gathered(state_->peers, std::span<const char>("", 1)));
}

template <class T>
Result<std::shared_ptr<PartLinks<T>>> PartLinks<T>::make(const PartPeers& peers,
                                                         const std::vector<PartNeighbor>& neighbors,
                                                         std::uint64_t ghosts) {
  auto state = std::make_unique<State>();
  state->peers = peers;
  state->layout = {static_cast<std::uint64_t>(peers.size)};
  state->ghost_count = ghosts;
  State& s = *state;
  Status status = s.connect(neighbors);
  const char failed = status.ok() ? 0 : 1;
  for (const char other : gathered(peers, std::span<const char>(&failed, 1)))
    if (other != 0 && status.ok())
      static_cast<void>(status = Error{ErrorCode::unsupported, "the GPU of another process could not be reached"});
  std::shared_ptr<PartLinks> links(new PartLinks(std::move(state)));
  SPRESS_CHECK(status);
  return Result<std::shared_ptr<PartLinks>>(std::move(links));  // nvcc would copy
}

template <class T>
Status PartLinks<T>::send(const T* x, Stream stream) {
  State& s = *state_;
  if (s.neighbor_count == 0) return Ok{};
  const dim3 grid(std::clamp(blocks_for(s.most_sent, block_size), 1u, most_blocks), s.neighbor_count);
  send_elements<T><<<grid, block_size, 0, stream>>>(s.deliveries.template as<Delivery<T>>(), x,
                                                    s.rounds.template as<const Rounds>());
  SPRESS_CUDA_TRY(cudaGetLastError());
  return Ok{};
}

template <class T>
Status PartLinks<T>::take(Stream stream) {
  State& s = *state_;
  if (s.neighbor_count == 0) return Ok{};
  const unsigned grid = std::clamp(blocks_for(s.ghost_count, block_size), 1u, most_blocks);
  return launch(take_elements<T>, grid, block_size, stream, s.shared.template as<char>(), s.layout,
                s.neighbors.template as<const int>(), s.neighbor_count, s.ghost_count, s.ghosts.template as<T>(),
                s.rounds.template as<Rounds>());
}

template <class T>
const T* PartLinks<T>::ghosts() const {
  return state_->ghosts.template as<const T>();
}

template <class T>
Status PartLinks<T>::add_up(double* pairs, unsigned count, Stream stream) {
  State& s = *state_;
  return launch(add_sums, 1, cg::block_size, stream, reinterpret_cast<Sums*>(pairs), count,
                s.seen.template as<char* const>(), static_cast<unsigned>(s.peers.rank),
                static_cast<unsigned>(s.peers.size), s.rounds.template as<Rounds>());
}

template class PartLinks<float>;
template class PartLinks<double>;

template <class T>
Status add_to_rows(T* y, const std::uint32_t* rows, const T* values, std::uint64_t count, Stream stream) {
  return launch(add_rows<T>, blocks_for(count, block_size), block_size, stream, y, rows, values, count);
}
template Status add_to_rows(float*, const std::uint32_t*, const float*, std::uint64_t, Stream);
template Status add_to_rows(double*, const std::uint32_t*, const double*, std::uint64_t, Stream);

template <class T>
Product<T> joined(PartProduct<T> given, std::shared_ptr<PartLinks<T>> links) {
  const auto part = std::make_shared<PartProduct<T>>(std::move(given));
  Product<T> out;
  out.kernel = part->own.kernel;
  out.repeatable = part->own.repeatable && (part->boundary_rows == 0 || part->ghosts.repeatable);
  out.multiply = [part, links](const T* x, T* y, Stream stream) -> Status {
    SPRESS_CHECK(links->send(x, stream));
    SPRESS_CHECK(part->own.multiply(x, y, stream));
    SPRESS_CHECK(links->take(stream));
    if (part->boundary_rows == 0) return Ok{};
    T* more = part->more.template as<T>();
    SPRESS_CHECK(part->ghosts.multiply(links->ghosts(), more, stream));
    return add_to_rows(y, part->boundary.template as<const std::uint32_t>(), static_cast<const T*>(more),
                       part->boundary_rows, stream);
  };
  return out;
}
template Product<float> joined(PartProduct<float>, std::shared_ptr<PartLinks<float>>);
template Product<double> joined(PartProduct<double>, std::shared_ptr<PartLinks<double>>);

}  // namespace spress::cuda
