// Launches captured once and sent to the device at once any number of times, without CUDA's headers.
#pragma once

#include <functional>
#include <memory>

#include "kernels/cuda/device/memory.hpp"

struct CUgraphExec_st;

namespace spress::cuda {

/// What a function launched, ready to be launched again as one piece: the host has nothing to do between its kernels,
/// so that they follow each other as closely as the device can.
class Graph {
 public:
  /// What work(stream) launches on the stream given to it, so many times in a row; it is not run now. Threads beside
  /// may allocate meanwhile. Errors: work's; unsupported for what cannot be captured.
  [[nodiscard]] static Result<Graph> capture(const std::function<Status(Stream)>& work, int times = 1);

  /// On any stream. Requires: that what was captured still lives, as must the graph until it has ended.
  /// Errors: unsupported, for whatever the device reports.
  [[nodiscard]] Status launch(Stream stream = nullptr) const;

 private:
  struct Destroy {
    void operator()(CUgraphExec_st* graph) const;
  };
  explicit Graph(CUgraphExec_st* graph) : graph_(graph) {}

  std::unique_ptr<CUgraphExec_st, Destroy> graph_;
};

}  // namespace spress::cuda
