// A system of which several processes have parts: the same on the CPU and on a GPU.
#pragma once

#include <functional>
#include <span>

namespace spress {

/// Combines what the holders of parts of a system have found: each calls the same function in the same order, and all
/// get the same bits. Both empty: there is one part, which is all.
struct CgParts {
  std::function<void(std::span<double> values)> add_up;  ///< each value becomes the sum of those of all parts
  std::function<double(double value)> largest;
};

}  // namespace spress
