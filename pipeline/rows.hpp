// What the rows of verify, bench, transfer and solve share: the formats they walk, the store they choose, how they
// fail.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/csr.hpp"
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

/// Names an entry that is finite, but not as a float, or nothing. Requires: values of doubles, or a pattern.
[[nodiscard]] std::string entry_beyond_float(const Csr<Viewed>& a);

/// True for what cannot be done, unlike what went wrong.
[[nodiscard]] constexpr bool is_unfit(ErrorCode code) {
  return code == ErrorCode::not_applicable || code == ErrorCode::unsupported || code == ErrorCode::too_large;
}

/// Ends a row without figures: `ok` is null for what cannot be done, false for what went wrong.
template <class Row>
void end_row(Row& row, const Error& error) {
  row.ok = is_unfit(error.code) ? std::optional<bool>() : false;
  row.reason = error.message;
}

}  // namespace spress::pipeline
