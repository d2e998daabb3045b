// What conjugate gradient asks of a matrix, as far as it can be seen before it runs.
#pragma once

#include <vector>

#include "formats/core/result.hpp"
#include "formats/csr/csr.hpp"
#include "pipeline/ranks/matrix_part.hpp"

namespace spress::pipeline {

// part: null, or the part of which `a` is the matrix. Then errors are those of all ranks, and name rows and columns of
// the whole matrix.

/// Good if the matrix is square, its values real and finite, and it is symmetric: |a_rc - a_cr| is at most 2^-40 of the
/// largest of |a_rc|, |a_cr| and sqrt(|a_rr a_cc|), which bounds the entry in a positive definite matrix; an absent
/// entry is 0. So rounding in an assembly passes. Whether it is positive definite shows only when iterations run.
/// Errors: not_applicable, naming the entry; unsupported for complex values. Cost: a binary search for each entry.
[[nodiscard]] Status check_symmetric(const Csr<Viewed>& a, const MatrixPart* part = nullptr);

/// Good if all values are finite. T: that of the values, or any for a pattern.
template <class T>
[[nodiscard]] Status check_finite(const Csr<Viewed>& a, const MatrixPart* part = nullptr);

/// One over the diagonal. Requires: square, readable_as<T>(a.values).
/// Errors: not_applicable where an element of it is not above 0, or its inverse is not a finite T.
template <class T>
[[nodiscard]] Result<std::vector<T>> inverse_diagonal(const Csr<Viewed>& a, const MatrixPart* part = nullptr);

}  // namespace spress::pipeline
