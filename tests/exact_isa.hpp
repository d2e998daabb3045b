// One instruction set for every kernel, for as long as an object lives.
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

}  // namespace spress::tests
