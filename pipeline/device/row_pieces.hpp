// A matrix as pieces of rows in page-locked memory, for products of matrices larger than the device's memory.
#pragma once

#include <cstdint>
#include <vector>

#include "encode/shared/any.hpp"
#include "formats/csr/csr.hpp"
#include "kernels/cuda/streamed.hpp"

namespace spress::pipeline {

/// Rows of a matrix as one of its own.
struct RowPart {
  Positions<Owned> row_ptr;
  Csr<Viewed> view;  ///< sees row_ptr, and the entries where they are
};

/// Requires: first <= last <= a.rows; the columns and values of `a` outlive the part.
[[nodiscard]] RowPart part_of_rows(const Csr<Viewed>& a, std::uint64_t first, std::uint64_t last);

/// The row before which a piece ends that begins with `first` and has about so many entries. Pieces end at multiples of
/// 1024 rows, or of 32 if rows are long, so that formats cut them as they would the whole. Requires: first < a.rows is
/// a multiple of 32.
[[nodiscard]] std::uint64_t cut_by_entries(const Csr<Viewed>& a, std::uint64_t first, std::uint64_t entries);

/// The bytes that a piece shall have on the device for a budget: so few that three of them leave most of it, and the
/// same for all budgets from 256 MiB on, so that the rows are cut alike and sums have the same bits.
[[nodiscard]] std::uint64_t piece_bytes(std::uint64_t budget);

#ifdef SPRESS_WITH_CUDA

/// Encodes piece after piece, each of about so many bytes. The pieces keep nothing of `a`.
/// Errors: as encode_any; too_large where the host locks no more memory.
template <class T>
[[nodiscard]] Result<std::vector<cuda::StreamedRows<T>>> row_pieces(const Csr<Viewed>& a, const Spec& spec,
                                                                    std::uint64_t bytes);

/// A matrix made ready to multiply within a budget, and what that took.
template <class T>
struct RowsInPieces {
  cuda::StreamedProduct<T> streamed;
  double encode_seconds = 0, transfer_seconds = 0;
};

/// budget: bytes of the device's memory. Errors: as row_pieces and cuda::streamed_product; too_large where memory ends.
template <class T>
[[nodiscard]] Result<RowsInPieces<T>> rows_in_pieces(const Csr<Viewed>& a, const Spec& spec, std::uint64_t budget);

#endif

}  // namespace spress::pipeline
