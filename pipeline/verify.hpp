// Proof that encodings are right: encode, multiply, judge, decode, compare bits.
#pragma once

#include <vector>

#include "formats/matrix.hpp"
#include "formats/params.hpp"
#include "reports/records.hpp"

namespace spress::pipeline {

struct VerifyOptions {
  std::vector<Spec> formats;  ///< empty: every format of the list
  int threads = 0;
};

/// For each format, each value store that can hold the matrix, and double and float: encodes, validates, checks the
/// bytes against the estimate, packs into one buffer, multiplies from there into a poisoned vector, judges the product
/// with the rigorous bound, decodes and compares every bit. `ok` is null, with a reason, where a product is unsupported
/// (complex values) but the rest holds. Errors: usage for an unknown format or parameter.
[[nodiscard]] Result<reports::VerifyRecord> verify(const Matrix& matrix, const VerifyOptions& options);

}  // namespace spress::pipeline
