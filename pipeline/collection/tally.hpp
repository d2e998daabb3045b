// Counts of the work that a run over many items has done.
#pragma once

#include <cstdint>

namespace spress::pipeline {

struct Tally {
  std::uint64_t done = 0, kept = 0, failed = 0;     ///< items
  std::uint64_t input_bytes = 0, output_bytes = 0;  ///< of the files that did not fail
  std::uint64_t worked = 0;  ///< weights of the items, of which ProgressCount makes the time left

  [[nodiscard]] std::uint64_t items() const { return done + kept + failed; }

  Tally& operator+=(const Tally& more) {
    done += more.done, kept += more.kept, failed += more.failed;
    input_bytes += more.input_bytes, output_bytes += more.output_bytes;
    worked += more.worked;
    return *this;
  }
};

}  // namespace spress::pipeline
