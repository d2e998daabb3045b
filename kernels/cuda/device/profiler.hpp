// Names for a profiler such as ncu, without CUDA's headers.
#pragma once

#include <string>

namespace spress::cuda {

/// Whatever is launched while it lives belongs to a range of this name, with "_" for what is no letter and no digit.
/// Costs some nanoseconds where no profiler watches.
class ProfilerRange {
 public:
  explicit ProfilerRange(std::string name);
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
  ~ProfilerRange();
};

}  // namespace spress::cuda
