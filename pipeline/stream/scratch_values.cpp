#include "pipeline/stream/scratch_values.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace spress::pipeline {
namespace {

constexpr std::uint64_t values_of_part = 1 << 17;  // whose table stays in a processor's cache
constexpr std::uint64_t buffer_bytes = 16 << 10;

}  // namespace

ScratchValues::ScratchValues(std::uint64_t most, std::size_t value_bytes, std::uint64_t memory,
                             std::filesystem::path folder)
    : store_(std::move(folder), buffer_bytes, std::max<std::size_t>(value_bytes, 1)) {
  const std::uint64_t affordable = std::bit_floor(std::clamp<std::uint64_t>(memory / buffer_bytes, 1, 4096));
  store_.add_parts(std::min(std::bit_ceil(most / values_of_part + 1), affordable));
}

Status ScratchValues::for_each_piece(std::size_t part,
                                     const std::function<void(const std::uint8_t*, std::size_t)>& use) const {
  HostArray<std::uint8_t> room;
  return store_.for_each_piece(part, room, [&](const std::uint8_t* values, std::size_t bytes) -> Status {
    use(values, bytes);
    return Ok{};
  });
}

}  // namespace spress::pipeline
