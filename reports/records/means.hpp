#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace spress::reports {

/// Of values above 0; 0 of none. In whatever order the values come, the result is the same.
inline double geometric_mean(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace spress::reports
