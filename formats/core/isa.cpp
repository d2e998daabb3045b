#include "formats/core/isa.hpp"

#include <atomic>
#include <cstring>

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

/// All that SPRESS_FEATURES of kernels/cpu/simd/target.hpp lets a compiler use for AVX2.
bool has_avx2_features() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && has_lzcnt() && __builtin_cpu_supports("popcnt");
}

/// The AVX-512 extensions that kernels/cpu/simd/target.hpp enables.
bool has_avx512_features() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}
#endif

std::vector<Isa> find_isas() {
  std::vector<Isa> found = {Isa::portable};
#ifdef __x86_64__
  __builtin_cpu_init();
  if (!has_avx2_features()) return found;
  found.push_back(Isa::avx2);
  if (has_avx512_features()) found.push_back(Isa::avx512);
#endif
  return found;
}

Processor find_processor() {
#ifdef __x86_64__
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0, &a, &b, &c, &d) == 0) return Processor::other;
  const std::array<unsigned, 3> words = {b, d, c};
  char vendor[12];
  std::memcpy(vendor, words.data(), sizeof vendor);
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return Processor::other;
  const unsigned family = a >> 8 & 15, extended = a >> 20 & 255;
  return processor_of({vendor, sizeof vendor}, family == 15 ? family + extended : family,
                      available_isas().back() == Isa::avx512);
#else
  return Processor::other;
#endif
}

std::atomic<IsaChoice>& selected_isa() {
  static std::atomic<IsaChoice> value = IsaChoice{available_isas().back(), false};
  return value;
}

std::atomic<Processor>& selected_processor() {
  static std::atomic<Processor> value = find_processor();
  return value;
}

}  // namespace

const std::vector<Isa>& available_isas() {
  static const std::vector<Isa> isas = find_isas();
  return isas;
}

IsaChoice isa_choice() { return selected_isa().load(std::memory_order_relaxed); }

std::string isa_text() {
  const IsaChoice choice = isa_choice();
  return std::string(enum_name(choice.isa)) + (choice.exact ? ",exact" : "");
}

void select_isa(IsaChoice wanted) { selected_isa().store(wanted, std::memory_order_relaxed); }

Status select_isa(std::string_view name) {
  constexpr std::string_view exact = ",exact";
  const bool is_exact = name.ends_with(exact);
  const std::string_view isa_name = is_exact ? name.substr(0, name.size() - exact.size()) : name;
  std::string names;
  for (const Isa each : available_isas()) {
    if (enum_name(each) == isa_name) {
      select_isa(IsaChoice{each, is_exact});
      return Ok{};
    }
    names += (names.empty() ? "" : ", ") + std::string(enum_name(each));
  }
  return Error{ErrorCode::usage, std::string(name) + ": name one, or one and ',exact'; this processor has " + names};
}

Processor processor() { return selected_processor().load(std::memory_order_relaxed); }

void select_processor(Processor wanted) { selected_processor().store(wanted, std::memory_order_relaxed); }

Processor processor_of(std::string_view vendor, unsigned family, bool has_avx512) {
  constexpr unsigned zen = 0x17, zen5 = 0x1A;
  if (vendor == "GenuineIntel") return Processor::intel;
  if ((vendor != "AuthenticAMD" && vendor != "HygonGenuine") || family < zen) return Processor::other;
  if (!has_avx512) return Processor::zen3;
  return family < zen5 ? Processor::zen4 : Processor::zen5;
}

}  // namespace spress
