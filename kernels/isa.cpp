#include "kernels/isa.hpp"

#include <atomic>

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace spress {
namespace {

#ifdef __x86_64__
bool has_lzcnt() {  // by its bit: not every compiler knows the name
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) != 0 && (c >> 5 & 1) != 0;
}

/// All that SPRESS_FEATURES of kernels/cpu/target.hpp lets a compiler use for AVX2.
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && has_lzcnt() && __builtin_cpu_supports("popcnt");
}

/// What it lets a compiler use for AVX-512 besides.
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}
#endif

std::vector<Isa> find_isas() {
  std::vector<Isa> found = {Isa::portable};
#ifdef __x86_64__
  __builtin_cpu_init();
  if (!has_avx2()) return found;
  found.push_back(Isa::avx2);
  if (has_avx512()) found.push_back(Isa::avx512);
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
