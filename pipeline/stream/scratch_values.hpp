// Values that a ValueStream sets aside, in a scratch file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "analyze/value_stream.hpp"
#include "formats/io/rows/part_store.hpp"

namespace spress::pipeline {

class ScratchValues final : public analyze::ValueSpill {
 public:
  /// most: the values there may be; value_bytes: of one, 0 for a pattern. memory: bytes for buffers.
  ScratchValues(std::uint64_t most, std::size_t value_bytes, std::uint64_t memory, std::filesystem::path folder);

  [[nodiscard]] std::size_t parts() const override { return store_.parts(); }
  [[nodiscard]] Status put(std::size_t part, const std::uint8_t* values, std::size_t bytes) override {
    return store_.append(part, values, bytes);
  }
  [[nodiscard]] Status for_each_piece(std::size_t part,
                                      const std::function<void(const std::uint8_t*, std::size_t)>& use) const override;

 private:
  io::PartStore store_;
};

}  // namespace spress::pipeline
