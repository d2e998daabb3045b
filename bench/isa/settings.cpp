#include "bench/isa/settings.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace spress::bench {

std::vector<std::string> gallery_inputs(double entries) {
  const auto rows = [&](double per_row) { return static_cast<std::uint64_t>(entries / per_row) + 1; };
  const auto side = [&](double per_point, double dimensions) {
    return static_cast<std::uint64_t>(std::lround(std::pow(entries / per_point, 1 / dimensions))) + 1;
  };
  return {
      fmt::format("gen:stencil7,n={}", side(7, 3)),
      fmt::format("gen:stencil27,n={}", side(27, 3)),
      fmt::format("gen:poisson2d,n={}", side(5, 2)),
      fmt::format("gen:elasticity3d,n={}", side(3 * 81, 3)),
      fmt::format("gen:circuit,n={}", rows(5)),
      fmt::format("gen:powerlaw,n={},average=8", rows(8)),
      fmt::format("gen:band,n={},half=2000,per_row=16", rows(16)),
      fmt::format("gen:uniform,n={},k=8", rows(8)),
  };
}

}  // namespace spress::bench
