#include "kernels/isa.hpp"

#include <atomic>

namespace spress {
namespace {

std::vector<Isa> find_isas() {
  std::vector<Isa> found = {Isa::portable};
#ifdef __x86_64__
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi2"))
    return found;
  found.push_back(Isa::avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl"))
    found.push_back(Isa::avx512);
#endif
  return found;
}

std::atomic<Isa>& selected() {
  static std::atomic<Isa> value = available_isas().back();
  return value;
}

}  // namespace

const std::vector<Isa>& available_isas() {
  static const std::vector<Isa> isas = find_isas();
  return isas;
}

Isa isa() { return selected().load(std::memory_order_relaxed); }

void select_isa(Isa wanted) { selected().store(wanted, std::memory_order_relaxed); }

}  // namespace spress
