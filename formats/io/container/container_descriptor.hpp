// The JSON descriptor at a container's end. Private to formats/io; its schema is in container.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/io/container/container.hpp"

namespace spress::io {

/// The descriptor of a head (without version and file_bytes) as UTF-8 JSON text.
[[nodiscard]] std::string descriptor_text(const ContainerHead& head);

/// The head that a descriptor describes. Its blocks are placed one after another from `first_block` and must end at
/// `blocks_end`. Errors: damaged, for whatever container.md does not allow; unsupported for an unknown transform.
[[nodiscard]] Result<ContainerHead> parse_descriptor(std::span<const std::uint8_t> text, std::uint64_t first_block,
                                                     std::uint64_t blocks_end);

}  // namespace spress::io
