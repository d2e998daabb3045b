// One matrix on several ranks: each has some of its rows, and the same part of every vector.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/core/result.hpp"
#include "formats/csr/csr.hpp"
#include "pipeline/ranks/ranks.hpp"
#include "reports/records/records.hpp"

namespace spress::pipeline {

/// Rank r has the rows (or elements of a vector) first[r] to first[r + 1] - 1.
struct RankCut {
  std::vector<std::uint64_t> first;  ///< ranks + 1, ascending from 0

  [[nodiscard]] std::uint64_t begin_of(int rank) const { return first[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] std::uint64_t end_of(int rank) const { return first[static_cast<std::size_t>(rank) + 1]; }
  [[nodiscard]] std::uint64_t size_of(int rank) const { return end_of(rank) - begin_of(rank); }
  [[nodiscard]] std::uint64_t total() const { return first.back(); }
};

/// Another rank that has elements of x which this one's rows need, or needs some of this one's.
struct Neighbor {
  int rank = 0;
  std::uint64_t first_ghost = 0, ghosts = 0;  ///< its elements among the ghosts
  std::vector<std::uint32_t> sends;           ///< the own elements that it needs
};

/// The rows of one rank. Their columns are numbered anew: first the rank's own elements of x, then the ghosts, which
/// are those elements of other ranks that the rows need, in the order of the whole vector. All ranks do the same things
/// with their parts, in the same order.
class MatrixPart {
 public:
  /// rows: those of this rank, with columns of the whole matrix. elements: of x; those of y are cut as the rows.
  /// Requires: ranks outlives it; raw values or a pattern. Throws std::bad_alloc.
  MatrixPart(const Ranks& ranks, const Csr<Viewed>& rows, RankCut row_cut, RankCut elements);

  [[nodiscard]] const Ranks& ranks() const { return *ranks_; }
  /// The rows, once: whoever works with them keeps them.
  [[nodiscard]] Csr<Owned> take_csr() { return std::move(csr_); }

  [[nodiscard]] std::uint64_t first_row() const { return row_cut_.begin_of(ranks_->rank()); }
  [[nodiscard]] std::uint64_t all_rows() const { return row_cut_.total(); }
  [[nodiscard]] std::uint64_t all_columns() const { return elements_.total(); }
  [[nodiscard]] std::uint64_t own_elements() const { return elements_.size_of(ranks_->rank()); }
  [[nodiscard]] const RankCut& elements() const { return elements_; }
  [[nodiscard]] std::span<const std::uint32_t> ghosts() const { return ghosts_; }  ///< their places in the whole vector
  [[nodiscard]] const std::vector<Neighbor>& neighbors() const { return neighbors_; }

  /// The column of the whole matrix.
  [[nodiscard]] std::uint64_t column(std::uint64_t part_column) const {
    const std::uint64_t own = own_elements();
    return part_column < own ? elements_.begin_of(ranks_->rank()) + part_column : ghosts_[part_column - own];
  }

  /// This rank's elements of a whole vector of `elements`, and behind them the ghosts.
  template <class T>
  [[nodiscard]] std::vector<T> with_ghosts_of(std::span<const T> whole) const {
    std::vector<T> out(own_elements() + ghosts_.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = whole[column(i)];
    return out;
  }

  /// This part, without its matrix, with its own elements in another order: new element i is the former old[i].
  [[nodiscard]] MatrixPart reordered(std::span<const std::uint32_t> old) const;
  /// The order of columns that goes with it: ghosts stay.
  [[nodiscard]] HostArray<std::uint32_t> column_order(std::span<const std::uint32_t> old) const;

  /// A record of each rank. bytes_read: of the file, by this rank.
  [[nodiscard]] std::vector<reports::PartRecord> records(std::uint64_t bytes_read) const;

 private:
  void find_ghosts(const Csr<Viewed>& rows);
  void find_neighbors();
  void renumber(const Csr<Viewed>& rows);

  const Ranks* ranks_;
  RankCut row_cut_, elements_;
  Csr<Owned> csr_;
  std::uint64_t entries_ = 0;
  std::vector<std::uint32_t> ghosts_;
  std::vector<Neighbor> neighbors_;
};

/// Elements 0 to count-1 in parts of about the same size.
[[nodiscard]] RankCut even_cut(std::uint64_t count, int ranks);

/// Rows in parts of about the same number of entries.
[[nodiscard]] RankCut rows_by_entries(const Csr<Viewed>& a, int ranks);

/// Rows in two: the entries with ghosts for columns, and those without.
struct SplitRows {
  Csr<Owned> own;                       ///< all rows x own elements
  Csr<Owned> ghosts;                    ///< the rows below x ghosts
  std::vector<std::uint32_t> boundary;  ///< the rows that have ghosts, ascending
};

/// Splits rows at column `own`; values of any store. Throws std::bad_alloc.
[[nodiscard]] SplitRows split_at(const Csr<Viewed>& a, std::uint64_t own);

}  // namespace spress::pipeline
