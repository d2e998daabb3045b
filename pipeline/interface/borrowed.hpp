// A matrix whose arrays are the caller's.
#pragma once

#include <memory>

#include "formats/core/result.hpp"
#include "pipeline/interface/handles.hpp"

namespace spress::interface {

/// Checks the arrays and shows them as CSR. They are copied where they cannot stay as they are: row pointers of 64 bits
/// that fit 32; all of them where ids have 64 bits, or where the columns of a row do not ascend strictly, which the
/// copy does, with duplicates added up in the order in which they stand. Errors: usage, out_of_range, too_large;
/// not_representable where duplicates add up to infinity.
[[nodiscard]] Result<std::unique_ptr<spress_csr>> borrow(const spress_arrays& arrays);

}  // namespace spress::interface
