// What `./dev bench isa` measures of one matrix.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/isa/settings.hpp"
#include "encode/choose/cost_model.hpp"
#include "formats/core/result.hpp"

namespace spress::bench {

/// Times taken in turn, and the targets that they miss.
struct Comparison {
  std::string kind;  ///< "ceilings" of one format, "peers" of csr, or "slice-delta" against csr
  double least = 0;  ///< the others must take this many times the time of the first one; 0: no target, or ceilings
  std::string matrix, format;
  std::uint64_t nnz = 0;
  int threads = 1;
  std::vector<Timed> timed;  ///< ceilings: narrowest first; peers: csr first; slice-delta: itself first
  std::vector<std::string> misses;
};

/// Measures every format, then csr against its peers, then slice-delta against csr; hands each comparison to `take`.
/// Formats that cannot hold the matrix are left out. model: by which `auto` chooses.
/// Errors: those of reading or generating the matrix.
[[nodiscard]] Status measure(const std::string& input, const CostModel& model, const Settings& settings,
                             const std::function<void(const Comparison&)>& take);

}  // namespace spress::bench
