// Every format with the parameters that lead to other ways through its encoder and its kernels.
#pragma once

#include <vector>

#include "encode/shared/any.hpp"

namespace spress::tests {

inline std::vector<Spec> every_spec() {
  auto all = all_formats();
  for (const char* mode : {"delta", "anchored", "diagonal"}) all.push_back({"opt-csr", {{"index", mode}}});
  all.push_back({"slice-delta", {{"block", "3"}}});
  for (const char* c : {"1", "7", "64", "1024"}) all.push_back({"sell", {{"c", c}}});
  all.push_back({"ell-csr", {{"sigma", "32"}}});
  all.push_back({"ell-csr", {{"t", "3"}, {"m", "1"}, {"l", "32"}}});
  all.push_back({"ell-csr", {{"t", "256"}, {"m", "1024"}, {"l", "2000"}}});
  for (const char* block : {"1", "2", "3", "7", "10"}) all.push_back({"amb", {{"block", block}}});
  all.push_back({"amb", {{"segment", "3"}, {"sigma", "32"}}});
  for (const char* base : {"step", "none"})
    for (const char* block : {"1", "2", "7"}) all.push_back({"amb", {{"base", base}, {"block", block}}});
  all.push_back({"amb", {{"equal", "entries"}, {"segment", "20"}, {"sigma", "32"}}});
  for (const char* r : {"1", "3", "4", "5", "8"})
    for (const char* c : {"1", "2", "7", r}) all.push_back({"bsr", {{"r", r}, {"c", c}}});
  for (const char* r : {"1", "2", "3", "4"})
    for (const char* c : {"1", "2", r}) all.push_back({"yaspmv", {{"r", r}, {"c", c}}});
  for (const char* threshold : {"1", "5", "65"}) all.push_back({"hybrid-bm-csr", {{"threshold", threshold}}});
  for (const char* format : {"bcoo", "bccoo", "bccoo-gpu"})
    for (const char* b : {"1", "3", "40", "100000"}) all.push_back({format, {{"b", b}}});
  return all;
}

}  // namespace spress::tests
