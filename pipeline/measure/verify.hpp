// Proof that encodings are right: encode, multiply, judge, decode, compare bits.
#pragma once

#include <vector>

#include "formats/core/matrix.hpp"
#include "formats/core/params.hpp"
#include "pipeline/device/device.hpp"
#include "reports/records/records.hpp"

namespace spress::pipeline {

struct VerifyOptions {
  std::vector<Spec> formats;  ///< empty: every format of the list
  int threads = 0;
  Device device = cpu_device();
};

/// For each format, each value store that can hold the matrix, and double and float: encodes, validates, checks the
/// bytes against the estimate, packs into one buffer, multiplies from there into a poisoned vector, judges the product
/// with the rigorous bound (on a GPU several runs, which must have the same bits where the product is repeatable),
/// decodes and compares every bit. `ok` is null, with a reason, where a product is unsupported (complex values), does
/// not fit the device's memory or is of finite values that float makes infinite, but the rest holds. Errors: usage for
/// an unknown format or parameter, or a format given twice; too_large where the vectors do not fit the device.
[[nodiscard]] Result<reports::VerifyRecord> verify(const Matrix& matrix, const VerifyOptions& options);

}  // namespace spress::pipeline
