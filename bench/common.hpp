// Matrices that the micro-benchmarks share.
#pragma once

#include <cstdlib>
#include <string>

#include "formats/gallery/gallery.hpp"

namespace spress::bench {

/// A generated matrix. Ends the program where the spec is wrong: benchmarks have no one to report to.
inline Matrix generate(const std::string& spec) {
  auto matrix = gallery::generate(*parse_spec(spec));
  if (!matrix.ok()) std::abort();
  return std::move(matrix).value();
}

/// Out of cache, one regular and one not.
inline const std::string regular = "stencil27:n=64,values=noise";
inline const std::string irregular = "powerlaw:n=200000,values=noise";

}  // namespace spress::bench
