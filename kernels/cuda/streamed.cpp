#include "kernels/cuda/streamed.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "kernels/cuda/device/check.cuh"
#include "kernels/cuda/device/device.hpp"

namespace spress::cuda {
namespace {

constexpr std::size_t places = 3;  // one that multiplies, one that arrives, one to spare

template <class T>
struct Multiplied {
  std::uint64_t first_row;
  Product<T> product;
};

/// The memory, streams and events that the pieces of a streamed matrix share.
template <class T>
struct Pieces {
  struct Streamed : Multiplied<T> {
    PinnedMemory packed;
  };
  struct Place {
    void* memory = nullptr;
    Event arrived, worked;
  };

  std::vector<DeviceMemory> memory;
  std::vector<Multiplied<T>> resident;
  std::vector<Streamed> streamed;
  std::array<Place, places> place;
  OwnedStream copies;
  Event begun;

  Status prepare(std::vector<StreamedRows<T>> pieces, std::uint64_t budget);
  Status multiply(const T* x, T* y, Stream stream);

 private:
  Status keep(StreamedRows<T> piece);
  Status make_places(std::size_t room);
  Status send(std::size_t i);
};

template <class T>
Status Pieces<T>::keep(StreamedRows<T> piece) {
  SPRESS_TRY(DeviceMemory at, allocate(piece.packed.bytes(), "a piece of the matrix"));
  SPRESS_CHECK(copy_to_device(at.data(), piece.packed.data(), piece.packed.bytes()));
  SPRESS_TRY(auto product, piece.product(at.data()));
  resident.push_back({piece.first_row, std::move(product)});
  memory.push_back(std::move(at));
  return Ok{};
}

template <class T>
Status Pieces<T>::make_places(std::size_t room) {
  SPRESS_TRY(DeviceMemory all, allocate(places * room, "the pieces of the matrix that come through"));
  SPRESS_CHECK(fill_bytes(all.data(), 0, all.bytes()));  // kernels read whole words beyond an array's end
  for (std::size_t p = 0; p < places; ++p) {
    place[p].memory = all.template as<std::uint8_t>() + p * room;
    SPRESS_TRY(place[p].arrived, make_mark());
    SPRESS_TRY(place[p].worked, make_mark());
  }
  memory.push_back(std::move(all));
  SPRESS_TRY(begun, make_mark());
  SPRESS_TRY(copies, make_stream());
  return Ok{};
}

template <class T>
Status Pieces<T>::prepare(std::vector<StreamedRows<T>> pieces, std::uint64_t budget) {
  std::uint64_t all = 0, room = 0;
  for (const auto& piece : pieces) {
    all += piece.packed.bytes();
    room = std::max<std::uint64_t>(room, piece.packed.bytes());
  }
  // Products and vectors take some besides.
  SPRESS_TRY(const DeviceInfo device, device_info());
  budget = std::min<std::uint64_t>(budget, device.memory_free / 16 * 15);
  std::uint64_t left = budget;
  if (all > budget) {
    if (places * room > budget)
      return Error{ErrorCode::too_large, "pieces of rows need " + std::to_string(places * room) +
                                             " bytes on the device, and have " + std::to_string(budget) +
                                             "; give a larger --memory"};
    SPRESS_CHECK(make_places(room));
    left -= places * room;
  }
  for (auto& piece : pieces) {
    const std::uint64_t own = piece.packed.bytes();
    if (all <= budget || own <= left) {
      left -= std::min(left, own);
      SPRESS_CHECK(keep(std::move(piece)));
      continue;
    }
    SPRESS_TRY(auto product, piece.product(place[streamed.size() % places].memory));
    streamed.push_back({{piece.first_row, std::move(product)}, std::move(piece.packed)});
  }
  return synchronize();
}

/// Sends piece i of those that come through, as soon as the one before in its place has been worked on.
template <class T>
Status Pieces<T>::send(std::size_t i) {
  Place& to = place[i % places];
  if (i >= places) SPRESS_CUDA_TRY(cudaStreamWaitEvent(copies.get(), to.worked.get()));
  const PinnedMemory& from = streamed[i].packed;
  SPRESS_CUDA_TRY(cudaMemcpyAsync(to.memory, from.data(), from.bytes(), cudaMemcpyHostToDevice, copies.get()));
  SPRESS_CUDA_TRY(cudaEventRecord(to.arrived.get(), copies.get()));
  return Ok{};
}

template <class T>
Status Pieces<T>::multiply(const T* x, T* y, Stream stream) {
  const auto run = [&](const Multiplied<T>& piece) { return piece.product.multiply(x, y + piece.first_row, stream); };
  std::size_t done = 0;  // of the resident, which are spread over those that come
  if (!streamed.empty()) {
    SPRESS_CUDA_TRY(cudaEventRecord(begun.get(), stream));
    SPRESS_CUDA_TRY(cudaStreamWaitEvent(copies.get(), begun.get()));
  }
  for (std::size_t i = 0; i < streamed.size(); ++i) {
    SPRESS_CHECK(send(i));
    for (; done * streamed.size() < resident.size() * i; ++done) SPRESS_CHECK(run(resident[done]));
    Place& at = place[i % places];
    SPRESS_CUDA_TRY(cudaStreamWaitEvent(stream, at.arrived.get()));
    SPRESS_CHECK(run(streamed[i]));
    SPRESS_CUDA_TRY(cudaEventRecord(at.worked.get(), stream));
  }
  for (; done < resident.size(); ++done) SPRESS_CHECK(run(resident[done]));
  return Ok{};
}

}  // namespace

template <class T>
Result<StreamedProduct<T>> streamed_product(std::vector<StreamedRows<T>> pieces, std::uint64_t budget) {
  StreamedProduct<T> out;
  for (const auto& piece : pieces) out.bytes += piece.packed.bytes();
  const auto all = std::make_shared<Pieces<T>>();
  SPRESS_CHECK(all->prepare(std::move(pieces), budget));
  for (const auto& piece : all->streamed) out.streamed_bytes += piece.packed.bytes();
  const auto join = [&](const Product<T>& piece) {
    out.product.kernel = piece.kernel;  // as all, or nearly all, have it
    out.product.repeatable = out.product.repeatable && piece.repeatable;
  };
  for (const auto& piece : all->streamed) join(piece.product);
  for (const auto& piece : all->resident) join(piece.product);
  out.product.multiply = [all](const T* x, T* y, Stream stream) { return all->multiply(x, y, stream); };
  return out;
}

template Result<StreamedProduct<float>> streamed_product(std::vector<StreamedRows<float>> pieces, std::uint64_t budget);
template Result<StreamedProduct<double>> streamed_product(std::vector<StreamedRows<double>> pieces,
                                                          std::uint64_t budget);

}  // namespace spress::cuda
