#include <string>

#include "kernels/cuda/check.cuh"
#include "kernels/cuda/transfer.hpp"

namespace spress::cuda {
namespace {

struct DestroyStream {
  void operator()(cudaStream_t stream) const { static_cast<void>(cudaStreamDestroy(stream)); }
};
using OwnStream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, DestroyStream>;

Result<OwnStream> make_stream() {
  cudaStream_t stream = nullptr;
  SPRESS_CUDA_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return OwnStream(stream);
}

Result<Event> make_mark() {
  cudaEvent_t event = nullptr;
  SPRESS_CUDA_TRY(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return Event(event);
}

Status enqueue(std::span<const Copy> copies, cudaStream_t stream) {
  for (const Copy& copy : copies)
    if (copy.bytes != 0)
      SPRESS_CUDA_TRY(cudaMemcpyAsync(copy.to, copy.from, copy.bytes, cudaMemcpyHostToDevice, stream));
  return Ok{};
}

}  // namespace

PinnedMemory::~PinnedMemory() {
  if (data_ != nullptr) static_cast<void>(cudaFreeHost(data_));
}

Result<PinnedMemory> allocate_pinned(std::size_t bytes, std::string_view what) {
  if (bytes == 0) return PinnedMemory();
  void* data = nullptr;
  const cudaError_t code = cudaMallocHost(&data, bytes);
  if (code == cudaSuccess) return PinnedMemory(data, bytes);
  static_cast<void>(cudaGetLastError());
  if (code != cudaErrorMemoryAllocation) return failed(code, "cudaMallocHost");
  return Error{ErrorCode::too_large,
               "the host does not lock " + std::to_string(bytes) + " bytes of memory for " + std::string(what),
               {},
               0};
}

struct Courier::Streams {
  OwnStream copies, work;
  std::vector<Event> arrived;  // of each piece

  Status prepare(std::size_t pieces) {
    while (arrived.size() < pieces) {
      SPRESS_TRY(auto mark, make_mark());
      arrived.push_back(std::move(mark));
    }
    return Ok{};
  }

  Status enqueue_piece(const TransferPiece& piece, cudaEvent_t mark) {
    SPRESS_CHECK(enqueue(piece.copies, copies.get()));
    if (!piece.work) return Ok{};
    SPRESS_CUDA_TRY(cudaEventRecord(mark, copies.get()));
    SPRESS_CUDA_TRY(cudaStreamWaitEvent(work.get(), mark));
    return piece.work(work.get());
  }

  /// Waits for both streams, whatever came before: what was enqueued still reads the caller's memory.
  Status finish(Status before) {
    Status copied = synchronize(copies.get()), worked = synchronize(work.get());
    SPRESS_CHECK(std::move(before));
    SPRESS_CHECK(std::move(copied));
    return worked;
  }
};

Courier::Courier(std::unique_ptr<Streams> streams) : streams_(std::move(streams)) {}
Courier::Courier(Courier&&) noexcept = default;
Courier& Courier::operator=(Courier&&) noexcept = default;
Courier::~Courier() = default;

Result<Courier> Courier::make() {
  auto streams = std::make_unique<Streams>();
  SPRESS_TRY(streams->copies, make_stream());
  SPRESS_TRY(streams->work, make_stream());
  return Courier(std::move(streams));
}

Status Courier::send(std::span<const Copy> copies) {
  Status enqueued = enqueue(copies, streams_->copies.get());
  Status copied = synchronize(streams_->copies.get());
  SPRESS_CHECK(std::move(enqueued));
  return copied;
}

Status Courier::send(std::span<const TransferPiece> pieces) {
  SPRESS_CHECK(streams_->prepare(pieces.size()));
  Status enqueued = Ok{};
  for (std::size_t p = 0; p < pieces.size() && enqueued.ok(); ++p)
    enqueued = streams_->enqueue_piece(pieces[p], streams_->arrived[p].get());
  return streams_->finish(std::move(enqueued));
}

}  // namespace spress::cuda
