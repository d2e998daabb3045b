// What `./dev bench isa` is asked to do.
#pragma once

#include <string>
#include <vector>

#include "bench/isa/turns.hpp"
#include "formats/core/params.hpp"

namespace spress::bench {

struct Settings {
  std::vector<std::string> inputs;  ///< files and gen:...; each of them a matrix
  double entries = 2e6;             ///< of the matrices of gallery_inputs, about
  std::vector<int> threads = {};    ///< each of them a number of threads
  std::vector<Spec> formats = {};   ///< whose ceilings are compared
  Turns turns;
  int repeats = 2;    ///< times that a miss is measured again before it counts
  bool json = false;  ///< JSON lines instead of tables
};

/// One matrix of every kind that the targets are set for.
[[nodiscard]] std::vector<std::string> gallery_inputs(double entries);

}  // namespace spress::bench
