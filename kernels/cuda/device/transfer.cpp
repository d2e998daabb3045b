#include "kernels/cuda/device/transfer.hpp"

#include <algorithm>
#include <string>

#include "formats/core/threads.hpp"
#include "kernels/cuda/device/check.cuh"

namespace spress::cuda {
namespace {

Status enqueue(const Copy& copy, cudaStream_t stream) {
  if (copy.bytes != 0) SPRESS_CUDA_TRY(cudaMemcpyAsync(copy.to, copy.from, copy.bytes, cudaMemcpyHostToDevice, stream));
  return Ok{};
}

/// Page-locked buffers through which copies go in turn.
class Stage {
 public:
  Status prepare() {
    while (buffers_.size() < 4) {
      Buffer buffer;
      SPRESS_TRY(buffer.memory, allocate_pinned(size, "a buffer for copies"));
      SPRESS_TRY(buffer.sent, make_mark());
      buffers_.push_back(std::move(buffer));
    }
    return Ok{};
  }

  Status enqueue_part(const Copy& part, cudaStream_t stream) {
    Buffer& buffer = buffers_[next_++ % buffers_.size()];
    SPRESS_CUDA_TRY(cudaEventSynchronize(buffer.sent.get()));
    parallel_copy(buffer.memory.data(), part.from, part.bytes);
    SPRESS_CHECK(enqueue({part.to, buffer.memory.data(), part.bytes}, stream));
    SPRESS_CUDA_TRY(cudaEventRecord(buffer.sent.get(), stream));
    return Ok{};
  }

  Status enqueue_staged(const Copy& copy, cudaStream_t stream) {
    for (std::size_t at = 0; at < copy.bytes; at += size)
      SPRESS_CHECK(enqueue_part({static_cast<std::uint8_t*>(copy.to) + at,
                                 static_cast<const std::uint8_t*>(copy.from) + at, std::min(size, copy.bytes - at)},
                                stream));
    return Ok{};
  }

 private:
  static constexpr std::size_t size = 4 << 20;
  struct Buffer {
    PinnedMemory memory;
    Event sent;
  };
  std::vector<Buffer> buffers_;
  std::size_t next_ = 0;
};

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
               "the host does not lock " + std::to_string(bytes) + " bytes of memory for " + std::string(what)};
}

struct Courier::Streams {
  Stage stage;
  OwnedStream copies, work;
  std::vector<Event> arrived;  // of each piece

  Status enqueue_copies(std::span<const Copy> list, Departure departure) {
    const bool staged = departure == Departure::staged;
    if (staged) SPRESS_CHECK(stage.prepare());
    for (const Copy& copy : list)
      SPRESS_CHECK(staged ? stage.enqueue_staged(copy, copies.get()) : enqueue(copy, copies.get()));
    return Ok{};
  }

  Status prepare(std::size_t pieces) {
    while (arrived.size() < pieces) {
      SPRESS_TRY(auto mark, make_mark());
      arrived.push_back(std::move(mark));
    }
    return Ok{};
  }

  Status enqueue_piece(const TransferPiece& piece, Departure departure, cudaEvent_t mark) {
    SPRESS_CHECK(enqueue_copies(piece.copies, departure));
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

Status Courier::send(std::span<const Copy> copies, Departure departure) {
  Status enqueued = streams_->enqueue_copies(copies, departure);
  Status copied = synchronize(streams_->copies.get());
  SPRESS_CHECK(std::move(enqueued));
  return copied;
}

Status Courier::send(std::span<const TransferPiece> pieces, Departure departure) {
  SPRESS_CHECK(streams_->prepare(pieces.size()));
  Status enqueued = Ok{};
  for (std::size_t p = 0; p < pieces.size() && enqueued.ok(); ++p)
    enqueued = streams_->enqueue_piece(pieces[p], departure, streams_->arrived[p].get());
  return streams_->finish(std::move(enqueued));
}

}  // namespace spress::cuda
