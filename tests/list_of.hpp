// An array as a list that tests compare with one written by hand.
#pragma once

#include <vector>

#include "formats/core/array.hpp"

namespace spress::tests {

template <class T>
std::vector<T> list(const HostArray<T>& a) {
  return {a.begin(), a.end()};
}

}  // namespace spress::tests
