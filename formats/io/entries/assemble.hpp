// Entries in file order to compressed rows.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/core/result.hpp"
#include "formats/csr/csr.hpp"
#include "formats/io/entries/entries.hpp"

namespace spress::io {

struct Assembled {
  Csr<Owned> csr;
  std::uint64_t duplicates = 0;  ///< entries merged into another, counted after symmetric expansion
};

/// Expands symmetry, sorts each row, sums duplicates in the order of the file. The blocks are used up on the way.
/// The result does not depend on the number of threads.
/// Errors: not_representable where duplicates sum beyond double: integers beyond 2^53, others to
/// infinity though each is finite. Throws std::bad_alloc.
[[nodiscard]] Result<Assembled> assemble_coordinate(const MatrixHead& header, std::vector<EntryBlock>& blocks,
                                                    int threads);

/// The same as a matrix, with what the head says. Name and path are left to the caller.
/// Errors: also too_large where memory does not suffice for one pointer for each row.
[[nodiscard]] Result<Matrix> matrix_of_entries(const MatrixHead& head, std::vector<EntryBlock>& blocks, int threads);

/// Puts the entries of an array file, stored column by column, in their places; every entry is stored, zeros too.
/// Throws std::bad_alloc.
[[nodiscard]] Assembled assemble_array(const MatrixHead& header, std::vector<EntryBlock>& blocks, int threads);

/// The first entry of a hermitian array on the diagonal whose imaginary part is not 0, or header.entries.
[[nodiscard]] std::uint64_t first_unreal_diagonal(const MatrixHead& header, const std::vector<EntryBlock>& blocks);

}  // namespace spress::io
