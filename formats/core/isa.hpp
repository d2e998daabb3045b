// Instruction sets of the CPU code. Products are compiled once for each (kernels/cpu/simd/target.hpp), some loops
// of the other folders for AVX2 as well (formats/core/avx2.hpp). What runs is chosen here, once, when the program
// starts.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/description.hpp"
#include "formats/core/result.hpp"

namespace spress {

/// portable: what the compiler makes of plain C++. avx2: with FMA, as x86-64-v3. avx512: F, DQ, BW, VL, as x86-64-v4.
enum class Isa : std::uint8_t { portable, avx2, avx512 };
template <>
struct EnumNames<Isa> {
  static constexpr std::array<std::string_view, 3> names = {"portable", "avx2", "avx512"};
};

/// Processors that run the same instructions at different speeds. zen3: AMD's without AVX-512. zen5: and later ones.
enum class Processor : std::uint8_t { other, intel, zen3, zen4, zen5 };
inline constexpr std::size_t processors = 5;

/// Instruction sets of this processor and this build, the narrowest first. Never empty.
[[nodiscard]] const std::vector<Isa>& available_isas();

/// exact: every kernel that is compiled for `isa` uses it, others the next narrower one (kernels/isa.hpp). Otherwise
/// `isa` is a ceiling, below which a kernel may use a narrower one.
struct alignas(2) IsaChoice {  // as large as a number, to be read at once
  Isa isa = Isa::portable;
  bool exact = false;
  friend bool operator==(const IsaChoice&, const IsaChoice&) = default;
};

/// The choice in use: the widest as a ceiling, unless another was selected.
[[nodiscard]] IsaChoice isa_choice();
/// Its instruction set.
[[nodiscard]] inline Isa isa() { return isa_choice().isa; }
/// "avx2", or "avx2,exact".
[[nodiscard]] std::string isa_text();

/// Uses `wanted` from now on, in all threads. Not to be called while other functions of the library run.
/// Requires: available_isas() contains its instruction set.
void select_isa(IsaChoice wanted);
/// The same by name, as isa_text() returns it.
/// Errors: usage, listing the instruction sets of this processor.
[[nodiscard]] Status select_isa(std::string_view name);

/// The kind of this processor, unless another was selected.
[[nodiscard]] Processor processor();
/// Treats this processor as another kind, for tests of what is chosen there.
void select_processor(Processor wanted);
/// vendor: the 12 characters of CPUID leaf 0. family: with the extended family added.
[[nodiscard]] Processor processor_of(std::string_view vendor, unsigned family, bool has_avx512);

}  // namespace spress
