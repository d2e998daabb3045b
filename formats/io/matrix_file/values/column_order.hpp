// The entries of a block column after column. Private to formats/io; see container_v2.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/core/array.hpp"

namespace spress::io {

/// The places of all entries, those of a column from the top downwards. columns: of the entries, row after row.
/// Throws std::bad_alloc. Requires: fewer than 2^32 entries.
[[nodiscard]] HostArray<std::uint32_t> column_order(std::span<const std::uint32_t> columns);

/// The places of a sample of about `most` entries, in the same order: those of neighbouring columns, in up to 16
/// windows.
[[nodiscard]] std::vector<std::uint32_t> sample_of_columns(std::span<const std::uint32_t> columns, std::size_t most);

}  // namespace spress::io
