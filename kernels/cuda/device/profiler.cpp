#include "kernels/cuda/device/profiler.hpp"

#include <nvtx3/nvToolsExt.h>

#include <algorithm>

namespace spress::cuda {
namespace {

bool is_plain(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

}  // namespace

ProfilerRange::ProfilerRange(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_plain(c); }, '_');
  nvtxRangePushA(name.c_str());
}
ProfilerRange::~ProfilerRange() { nvtxRangePop(); }

}  // namespace spress::cuda
