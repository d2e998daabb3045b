// Instruction sets of the CPU kernels: every product is compiled once for each, and the widest that the processor has
// is chosen when the program runs.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/description.hpp"

namespace spress {

/// portable: what the compiler makes of plain C++. avx2: with FMA, as x86-64-v3. avx512: F, DQ, BW, VL, as x86-64-v4.
enum class Isa : std::uint8_t { portable, avx2, avx512 };
template <>
struct EnumNames<Isa> {
  static constexpr std::array<std::string_view, 3> names = {"portable", "avx2", "avx512"};
};

/// Those that this processor and this build have, the narrowest first; never empty.
[[nodiscard]] const std::vector<Isa>& available_isas();

/// The one in use: the widest unless another was selected.
[[nodiscard]] Isa isa();

/// Uses `wanted` from now on, in all threads; for tests and comparisons. Not to be called while a product runs.
/// Requires: available_isas() holds it.
void select_isa(Isa wanted);

}  // namespace spress
