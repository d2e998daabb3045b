// Doubles in frames: finds a frame that takes few bytes for the values of an item, and codes them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/value_frames.hpp"

namespace spress {

/// Bytes that the codes of an item take, by the bytes of one: they are padded for each turn.
using CodeBytes = std::array<std::uint64_t, 9>;

/// Finds frames. Keeps its scratch memory from one to the next: one for each thread.
class FrameFinder {
 public:
  struct Found {
    ValueFrame frame;         ///< but for where its exceptions begin
    std::uint64_t bytes = 0;  ///< of exceptions and codes
  };
  /// The frame of the values whose bits are given that takes the fewest bytes: of those with the bits that all of them
  /// or all but a few leave 0 below, and of decimals with the digits that a sample needs.
  /// decimals: may hold them as scaled integers. Requires: fewer than 2^24 values.
  [[nodiscard]] Found find(std::span<const std::uint64_t> bits, const CodeBytes& code_bytes, bool decimals);

 private:
  struct Window {
    std::uint64_t base = 0, cost = 0;
    std::uint32_t bytes = 0, exceptions = 0;
  };
  struct Run {
    std::uint64_t first = 0, last = 0, length = 0;
  };
  [[nodiscard]] Run longest_run(std::uint64_t codes) const;
  [[nodiscard]] Window cheapest_window(std::uint64_t strangers, const CodeBytes& code_bytes, std::uint64_t limit) const;
  void try_way(const ValueFrame& way, std::span<const std::uint64_t> bits, const CodeBytes& code_bytes, Found& best);
  void try_decimals(std::span<const std::uint64_t> bits, const CodeBytes& code_bytes, Found& best);

  std::vector<std::uint64_t> numbers_;
};

/// A guess at the least that these values take in frames: as much as the cheapest of a few runs of them, and less.
[[nodiscard]] double least_frame_bytes(std::span<const std::uint64_t> bits, bool decimals);

/// The code of a double in a frame; more than frame.last_code() where it is an exception, of which codes of eight bytes
/// have none.
[[nodiscard]] std::uint64_t code_in(const ValueFrame& frame, std::uint64_t bits);

/// Writes the codes of a turn, as TurnCodes reads them, and 0 behind the last. exceptions: the frame's, of which `met`
/// stand there already; appends to them and counts them.
void write_codes(const ValueFrame& frame, std::span<const std::uint64_t> bits, std::uint8_t* out,
                 std::uint8_t* exceptions, std::uint32_t& met);

}  // namespace spress
