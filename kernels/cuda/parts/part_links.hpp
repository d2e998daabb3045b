// GPUs of several processes on one machine that have one matrix together: they write elements of vectors, and sums,
// into each other's memory, in the order of their streams. No process of the host takes part once products run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/spmv.hpp"

namespace spress::cuda {

/// This process among the others.
struct PartPeers {
  int rank = 0, size = 1;
  /// So many bytes of each, in the order of their ranks. All call it at the same time.
  std::function<std::vector<std::byte>(std::span<const std::byte>)> gather;
};

/// Another process that has elements of x which this one needs, or needs some of this one's.
struct PartNeighbor {
  int rank = 0;
  std::uint64_t first_ghost = 0, ghosts = 0;
  std::span<const std::uint32_t> sends;
};

/// A wait of the device for another process ends after a minute, as a fault of the kernel.
template <class T>
class PartLinks {
 public:
  /// All processes call it at the same time, each with its GPU the current one. Errors: too_large; unsupported where
  /// one GPU cannot write the memory of another.
  [[nodiscard]] static Result<std::shared_ptr<PartLinks>> make(const PartPeers& peers,
                                                               const std::vector<PartNeighbor>& neighbors,
                                                               std::uint64_t ghosts);
  PartLinks(const PartLinks&) = delete;
  PartLinks& operator=(const PartLinks&) = delete;
  ~PartLinks();  ///< of all processes at the same time

  /// Writes what the neighbors need of x into their memory.
  [[nodiscard]] Status send(const T* x, Stream stream);
  /// Waits for what the neighbors send, which is at ghosts() then, until the next call.
  [[nodiscard]] Status take(Stream stream);
  [[nodiscard]] const T* ghosts() const;

  /// Makes the first of `count` pairs of sums the sum of all pairs of all processes, with the same bits on each, and
  /// the others zero. Requires: count <= 512.
  [[nodiscard]] Status add_up(double* pairs, unsigned count, Stream stream);

 private:
  struct State;
  explicit PartLinks(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

extern template class PartLinks<float>;
extern template class PartLinks<double>;

/// y[rows[i]] += values[i]. Requires: no row twice.
template <class T>
[[nodiscard]] Status add_to_rows(T* y, const std::uint32_t* rows, const T* values, std::uint64_t count, Stream stream);

/// The product of a part: that with its own elements while the ghosts are on their way, then that with the ghosts.
template <class T>
struct PartProduct {
  Product<T> own, ghosts;  ///< ghosts: of the rows below; empty where there are none
  DeviceMemory boundary;   ///< std::uint32_t, ascending
  std::uint64_t boundary_rows = 0;
  DeviceMemory more;                              ///< T, room for the product with the ghosts
  std::vector<std::shared_ptr<const void>> held;  ///< whatever the products read
};

/// Requires: all processes multiply in the same order.
template <class T>
[[nodiscard]] Product<T> joined(PartProduct<T> part, std::shared_ptr<PartLinks<T>> links);

}  // namespace spress::cuda
