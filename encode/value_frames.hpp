// Doubles in frames: finds a frame that takes few bytes for the values of an item, and codes them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/value_frames.hpp"

namespace spress {

/// Finds frames. Keeps its scratch memory from one to the next: one for each thread.
class FrameFinder {
 public:
  /// The frame of the values whose bits are given, with bytes and exceptions but no places: of those with the bits that
  /// all of them or all but a few leave 0 below, and of decimals with the digits that a sample needs, the smallest.
  /// decimals: may hold them as scaled integers. Requires: fewer than 2^24 values.
  [[nodiscard]] ValueFrame find(std::span<const std::uint64_t> bits, bool decimals);

 private:
  struct Window {
    std::uint64_t base = 0, cost = 0;
    std::uint32_t bytes = 0, exceptions = 0;
  };
  [[nodiscard]] Window cheapest_window(std::uint64_t strangers);
  void try_shared(std::span<const std::uint64_t> bits, std::uint32_t scale, ValueFrame& best, std::uint64_t& cost);
  void try_decimal(std::span<const std::uint64_t> bits, std::uint32_t digits, ValueFrame& best, std::uint64_t& cost);
  void try_decimals(std::span<const std::uint64_t> bits, ValueFrame& best, std::uint64_t& cost);

  std::vector<std::uint64_t> numbers_;
};

/// The code of a double in a frame; more than frame.last_code() where it is an exception, of which codes of eight bytes
/// have none.
[[nodiscard]] std::uint64_t code_in(const ValueFrame& frame, std::uint64_t bits);

/// Writes the codes of a turn, as TurnCodes reads them, and 0 behind the last. exceptions: the frame's, of which `met`
/// stand there already; appends to them and counts them.
void write_codes(const ValueFrame& frame, std::span<const std::uint64_t> bits, std::uint8_t* out,
                 std::uint8_t* exceptions, std::uint32_t& met);

}  // namespace spress
