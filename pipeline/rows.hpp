// What the rows of verify, bench and solve share: the formats they walk, the store they choose, how they fail.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "formats/params.hpp"
#include "formats/result.hpp"
#include "formats/values.hpp"

namespace spress::pipeline {

/// The formats given, or every one of the list where none is.
/// Errors: usage for an unknown format or parameter, and for a format given twice.
[[nodiscard]] Result<std::vector<Spec>> formats_to_walk(const std::vector<Spec>& given);

/// Bytes of each of all_stores; none: not applicable.
using StoreBytes = std::array<std::optional<std::uint64_t>, all_stores.size()>;

/// The store of least bytes, the first of those that tie. Requires: one applies.
[[nodiscard]] StoreKind smallest_store(const StoreBytes& bytes);

/// Ends a row without figures: `ok` is null for what cannot be done, false for what went wrong.
template <class Row>
void end_row(Row& row, const Error& error) {
  const bool unfit = error.code == ErrorCode::not_applicable || error.code == ErrorCode::unsupported ||
                     error.code == ErrorCode::too_large;
  row.ok = unfit ? std::optional<bool>() : false;
  row.reason = error.message;
}

}  // namespace spress::pipeline
