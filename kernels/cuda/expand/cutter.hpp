// Arrays on their way to the device, cut into pieces where a matrix is, without CUDA's headers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "kernels/cuda/device/transfer.hpp"
#include "kernels/cuda/expand/expand.hpp"

namespace spress::cuda {

/// Arrays that are cut where a matrix is: between units 0..n, such as rows or chunks.
class Cutter {
 public:
  Cutter(std::uint64_t units, std::size_t piece) : units_(units), piece_(std::max<std::size_t>(piece, 1)) {}

  /// An array that goes in front of all pieces, since all of them need it.
  template <class Array>
  void whole(const Array& host, const Array& device) {
    head_.push_back({const_cast<void*>(device.raw()), host.raw(), host.bytes()});
  }
  /// Parts added from now on are cut between their own units: own(u) is the first of them in unit u.
  void count_by(std::function<std::uint64_t(std::uint64_t)> own) { own_ = std::move(own); }
  /// An array of which unit u needs the elements from position(u) to position(u + 1).
  template <class Array>
  void part(const Array& host, const Array& device, std::function<std::uint64_t(std::uint64_t)> position) {
    if (host.bytes() == 0) return;
    if (own_) position = [own = own_, position](std::uint64_t u) { return position(own(u)); };
    tracks_.push_back({static_cast<const std::uint8_t*>(host.raw()),
                       static_cast<std::uint8_t*>(const_cast<void*>(device.raw())), size_of(host.dtype()),
                       std::move(position)});
  }

  /// head(stream) works on what goes in front, unit_work(first, last, stream) on units [first, last).
  template <class Head, class Work>
  void add_pieces(Expansion& out, Head head, Work work) const {
    out.pieces.push_back({head_, std::move(head)});
    for (std::uint64_t first = 0, last = 0; first < units_; first = last) {
      last = cut_behind(first);
      TransferPiece piece;
      for (const Track& track : tracks_) piece.copies.push_back(track.copy(first, last));
      piece.work = [work, first, last](Stream stream) -> Status { return work(first, last, stream); };
      out.pieces.push_back(std::move(piece));
    }
  }

 private:
  struct Track {
    const std::uint8_t* host;
    std::uint8_t* device;
    std::size_t width;
    std::function<std::uint64_t(std::uint64_t)> position;
    [[nodiscard]] Copy copy(std::uint64_t first, std::uint64_t last) const {
      const std::size_t begin = position(first) * width;
      return {device + begin, host + begin, position(last) * width - begin};
    }
  };

  [[nodiscard]] std::uint64_t bytes_before(std::uint64_t unit) const {
    std::uint64_t bytes = 0;
    for (const Track& track : tracks_) bytes += track.position(unit) * track.width;
    return bytes;
  }
  /// The last unit up to which the piece's bytes go, but at least one unit. A piece is a third of what is left: few
  /// copies, each of which takes a while to begin, and little to work on when the last one has arrived.
  [[nodiscard]] std::uint64_t cut_behind(std::uint64_t first) const {
    const std::uint64_t before = bytes_before(first), left = bytes_before(units_) - before;
    const std::uint64_t most = before + std::max<std::uint64_t>(piece_, left / 3);
    std::uint64_t low = first + 1, high = units_;
    while (low < high) {
      const std::uint64_t middle = low + (high - low + 1) / 2;
      if (bytes_before(middle) <= most)
        low = middle;
      else
        high = middle - 1;
    }
    return low;
  }

  std::uint64_t units_;
  std::size_t piece_;
  std::function<std::uint64_t(std::uint64_t)> own_;
  std::vector<Copy> head_;
  std::vector<Track> tracks_;
};

}  // namespace spress::cuda
