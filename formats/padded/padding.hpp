// How formats that fill rows up to a common length mark the filling.
#pragma once

#include <cstdint>

namespace spress {

/// The column id of a padding slot: no matrix has so many columns. Kernels skip such slots, so that a padding value is
/// never multiplied (an infinite x cannot spoil a row) and pattern and iso stores need no zero; decoders tell padding
/// from explicit zeros by it. The value code of a padding slot is 0.
inline constexpr std::uint32_t no_column = 0xFFFFFFFFu;

}  // namespace spress
