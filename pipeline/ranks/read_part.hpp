// How each of several ranks gets its rows of a matrix.
#pragma once

#include <cstdint>
#include <string>

#include "formats/core/matrix.hpp"
#include "formats/io/readers/read_options.hpp"
#include "pipeline/ranks/matrix_part.hpp"
#include "reorder/orderings.hpp"

namespace spress::pipeline {

/// The way in which rows are dealt out to ranks.
enum class Cut : std::uint8_t {
  entries,   ///< as many one after another as make its share of the entries
  partition  ///< likewise after the ordering `partition`, which brings together what belongs together
};

/// The rows of one rank, as they are in the whole matrix.
struct RankRows {
  Matrix matrix;                 ///< the rows alone, with columns of the whole matrix
  RankCut rows;                  ///< of the whole matrix
  std::uint64_t nnz = 0;         ///< of the whole matrix
  std::uint64_t bytes_read = 0;  ///< of the file, by this rank
  reorder::Permutation order;    ///< of rows and columns, where they were ordered first
};

/// Each rank reads its rows alone from a seekable .spress file, for Cut::entries. Every other input is read, or made,
/// as a whole by each. Errors: those of load, also where another rank has one; not_applicable for Cut::partition and a
/// rectangular matrix; unsupported without Scotch.
[[nodiscard]] Result<RankRows> read_rank_rows(const Ranks& ranks, const std::string& input,
                                              const io::ReadOptions& reading, Cut cut);

/// The part of a matrix that these rows are. Elements of x are cut as the rows where the matrix is square.
/// Requires: ranks outlives it.
[[nodiscard]] MatrixPart part_of(const Ranks& ranks, const RankRows& rows);

}  // namespace spress::pipeline
