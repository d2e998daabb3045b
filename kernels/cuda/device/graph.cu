#include <type_traits>

#include "kernels/cuda/device/check.cuh"
#include "kernels/cuda/device/graph.hpp"

namespace spress::cuda {
namespace {

struct DestroyCaptured {
  void operator()(cudaGraph_t graph) const { static_cast<void>(cudaGraphDestroy(graph)); }
};
using Captured = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyCaptured>;

Status repeat(int times, const std::function<Status(Stream)>& work, Stream stream) {
  for (int i = 0; i < times; ++i) SPRESS_CHECK(work(stream));
  return Ok{};
}

}  // namespace

void Graph::Destroy::operator()(CUgraphExec_st* graph) const { static_cast<void>(cudaGraphExecDestroy(graph)); }

Result<Graph> Graph::capture(const std::function<Status(Stream)>& work, int times) {
  SPRESS_TRY(const OwnedStream stream, make_stream());
  SPRESS_CUDA_TRY(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  const Status added = repeat(times, work, stream.get());
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream.get(), &graph);
  const Captured captured(graph);
  if (ended != cudaSuccess) static_cast<void>(cudaGetLastError());
  SPRESS_CHECK(added);
  if (ended != cudaSuccess) return failed(ended, "cudaStreamEndCapture");
  cudaGraphExec_t ready = nullptr;
  SPRESS_CUDA_TRY(cudaGraphInstantiate(&ready, captured.get(), 0));
  return Graph(ready);
}

Status Graph::launch(Stream stream) const {
  SPRESS_CUDA_TRY(cudaGraphLaunch(graph_.get(), stream));
  return Ok{};
}

}  // namespace spress::cuda
