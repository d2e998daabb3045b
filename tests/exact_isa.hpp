// One instruction set for every kernel, or another kind of processor, for as long as an object lives.
#pragma once

#include "formats/core/isa.hpp"

namespace spress::tests {

class ExactIsa {
 public:
  explicit ExactIsa(Isa isa) { select_isa({isa, true}); }
  ~ExactIsa() { select_isa(before_); }
  ExactIsa(const ExactIsa&) = delete;
  ExactIsa& operator=(const ExactIsa&) = delete;

 private:
  IsaChoice before_ = isa_choice();
};

class OnProcessor {
 public:
  explicit OnProcessor(Processor wanted) { select_processor(wanted); }
  ~OnProcessor() { select_processor(before_); }
  OnProcessor(const OnProcessor&) = delete;
  OnProcessor& operator=(const OnProcessor&) = delete;

 private:
  Processor before_ = processor();
};

}  // namespace spress::tests
