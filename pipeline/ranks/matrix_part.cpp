#include "pipeline/ranks/matrix_part.hpp"

#include <algorithm>
#include <utility>

#include "formats/core/threads.hpp"

namespace spress::pipeline {
namespace {

/// Columns and codes of a matrix, copied entry by entry into another.
class EntryCopier {
 public:
  EntryCopier(const Csr<Viewed>& from, Csr<Owned>& to, std::uint64_t entries)
      : from_(from), to_(to), width_(code_width(from.values)) {
    to.nnz = entries;
    to.row_ptr = Positions<Owned>(position_type(entries), to.rows + 1);
    to.col_idx = HostArray<std::uint32_t>(entries);
    to.values = empty_like(from.values, entries);
  }
  /// Entries first to last-1 go to `at`, their columns by number(column).
  template <class Number>
  void copy(std::uint64_t first, std::uint64_t last, std::uint64_t at, const Number& number) {
    for (std::uint64_t k = first; k < last; ++k) to_.col_idx[at + k - first] = number(from_.col_idx[k]);
    if (width_ != 0)
      std::copy_n(from_.values.codes.memory.data() + first * width_, (last - first) * width_,
                  to_.values.codes.memory.data() + at * width_);
  }

 private:
  const Csr<Viewed>& from_;
  Csr<Owned>& to_;
  std::size_t width_;
};

/// The first entry of row r whose column is not below `column`.
std::uint64_t first_entry_from(const Csr<Viewed>& a, std::uint64_t r, std::uint64_t column) {
  const auto* begin = a.col_idx.data() + a.row_ptr.position(r);
  const auto* end = a.col_idx.data() + a.row_ptr.position(r + 1);
  return static_cast<std::uint64_t>(std::lower_bound(begin, end, column) - a.col_idx.data());
}

/// Calls work(row) for all rows, by several threads.
template <class Work>
void for_rows(std::uint64_t rows, const Work& work) {
  const auto count = static_cast<std::int64_t>(rows);
#pragma omp parallel for schedule(static) num_threads(threads_worth(0, rows))
  for (std::int64_t r = 0; r < count; ++r) work(static_cast<std::uint64_t>(r));
}

/// Fills rows whose number is known: row i is the entries [first, last) = entries(i) of `from`, columns counted from
/// `first_column`.
template <class Entries>
void fill_rows(Csr<Owned>& to, const Csr<Viewed>& from, const Entries& entries, std::uint32_t first_column) {
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < to.rows; ++i) {
    const auto [first, last] = entries(i);
    count += last - first;
  }
  EntryCopier copier(from, to, count);
  fill_positions(to.row_ptr, [&]<class P>(P* row_ptr) {
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < to.rows; ++i) {
      row_ptr[i] = static_cast<P>(at);
      const auto [first, last] = entries(i);
      at += last - first;
    }
    row_ptr[to.rows] = static_cast<P>(at);
  });
  for_rows(to.rows, [&](std::uint64_t i) {
    const auto [first, last] = entries(i);
    copier.copy(first, last, to.row_ptr.position(i), [=](std::uint32_t c) { return c - first_column; });
  });
}

}  // namespace

MatrixPart::MatrixPart(const Ranks& ranks, const Csr<Viewed>& rows, RankCut row_cut, RankCut elements)
    : ranks_(&ranks), row_cut_(std::move(row_cut)), elements_(std::move(elements)), entries_(rows.nnz) {
  find_ghosts(rows);
  find_neighbors();
  renumber(rows);
}

void MatrixPart::find_ghosts(const Csr<Viewed>& rows) {
  const std::uint64_t begin = elements_.begin_of(ranks_->rank()), end = elements_.end_of(ranks_->rank());
  std::vector<bool> needed(elements_.total());
  std::uint64_t count = 0;
  for (std::uint64_t k = 0; k < rows.nnz; ++k) {
    const std::uint32_t c = rows.col_idx[k];
    if (c >= begin && c < end) continue;
    count += needed[c] ? 0 : 1;
    needed[c] = true;
  }
  ghosts_.reserve(count);
  for (std::uint64_t c = 0; ghosts_.size() < count; ++c)
    if (needed[c]) ghosts_.push_back(static_cast<std::uint32_t>(c));
}

/// Each rank tells the others which of their elements it needs.
void MatrixPart::find_neighbors() {
  const auto offset = static_cast<std::uint32_t>(elements_.begin_of(ranks_->rank()));
  std::vector<std::vector<std::uint32_t>> needs;
  auto first = ghosts_.begin();
  for (int rank = 0; rank < ranks_->size(); ++rank) {
    const auto last = std::lower_bound(first, ghosts_.end(), elements_.end_of(rank));
    needs.emplace_back(first, last);
    first = last;
  }
  auto asked_for = ranks_->exchange(needs);
  std::uint64_t first_ghost = 0;
  for (std::size_t rank = 0; rank < needs.size(); ++rank) {
    const std::uint64_t ghosts = needs[rank].size();
    for (std::uint32_t& element : asked_for[rank]) element -= offset;
    if (ghosts != 0 || !asked_for[rank].empty())
      neighbors_.push_back({static_cast<int>(rank), first_ghost, ghosts, std::move(asked_for[rank])});
    first_ghost += ghosts;
  }
}

/// Within a row come first its own columns, then the ghosts below them, then those above.
void MatrixPart::renumber(const Csr<Viewed>& rows) {
  const std::uint64_t begin = elements_.begin_of(ranks_->rank()), end = elements_.end_of(ranks_->rank());
  const std::uint64_t own = end - begin;
  csr_.rows = rows.rows;
  csr_.cols = own + ghosts_.size();
  EntryCopier copier(rows, csr_, rows.nnz);
  fill_positions(csr_.row_ptr, [&]<class P>(P* to) {
    for (std::uint64_t r = 0; r <= rows.rows; ++r) to[r] = static_cast<P>(rows.row_ptr.position(r));
  });
  const auto as_own = [&](std::uint32_t c) { return static_cast<std::uint32_t>(c - begin); };
  const auto as_ghost = [&](std::uint32_t c) {
    const auto place = std::lower_bound(ghosts_.begin(), ghosts_.end(), c) - ghosts_.begin();
    return static_cast<std::uint32_t>(own + static_cast<std::uint64_t>(place));
  };
  for_rows(rows.rows, [&](std::uint64_t r) {
    const std::uint64_t first = rows.row_ptr.position(r), last = rows.row_ptr.position(r + 1);
    const std::uint64_t own_first = first_entry_from(rows, r, begin), own_last = first_entry_from(rows, r, end);
    copier.copy(own_first, own_last, first, as_own);
    copier.copy(first, own_first, first + (own_last - own_first), as_ghost);
    copier.copy(own_last, last, own_last, as_ghost);
  });
}

MatrixPart MatrixPart::reordered(std::span<const std::uint32_t> old) const {
  MatrixPart out = *this;
  std::vector<std::uint32_t> new_of(old.size());
  for (std::size_t i = 0; i < old.size(); ++i) new_of[old[i]] = static_cast<std::uint32_t>(i);
  for (Neighbor& n : out.neighbors_)
    for (std::uint32_t& element : n.sends) element = new_of[element];
  return out;
}

HostArray<std::uint32_t> MatrixPart::column_order(std::span<const std::uint32_t> old) const {
  HostArray<std::uint32_t> columns(old.size() + ghosts_.size());
  for (std::size_t c = 0; c < columns.size(); ++c) columns[c] = c < old.size() ? old[c] : static_cast<std::uint32_t>(c);
  return columns;
}

std::vector<reports::PartRecord> MatrixPart::records(std::uint64_t bytes_read) const {
  reports::PartRecord own;
  own.rows = row_cut_.size_of(ranks_->rank());
  own.nnz = entries_;
  own.ghosts = ghosts_.size();
  for (const Neighbor& n : neighbors_) own.sent_elements += n.sends.size();
  own.neighbors = neighbors_.size();
  own.bytes_read = bytes_read;
  return ranks_->gather(own);
}

RankCut even_cut(std::uint64_t count, int ranks) {
  RankCut cut;
  const auto parts = static_cast<std::uint64_t>(ranks);
  const std::uint64_t share = count / parts, rest = count % parts;
  for (std::uint64_t r = 0; r <= parts; ++r) cut.first.push_back(r * share + std::min(r, rest));
  return cut;
}

RankCut rows_by_entries(const Csr<Viewed>& a, int ranks) {
  RankCut cut{{0}};
  const RankCut entries = even_cut(a.nnz, ranks);
  for (std::size_t r = 1; r < entries.first.size() - 1; ++r) {
    std::uint64_t low = cut.first.back(), high = a.rows;  // the first row that begins at or behind the entry wanted
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (a.row_ptr.position(middle) < entries.first[r])
        low = middle + 1;
      else
        high = middle;
    }
    cut.first.push_back(low);
  }
  cut.first.push_back(a.rows);
  return cut;
}

SplitRows split_at(const Csr<Viewed>& a, std::uint64_t own) {
  SplitRows out;
  std::vector<std::uint64_t> first_ghost(a.rows);
  for_rows(a.rows, [&](std::uint64_t r) { first_ghost[r] = first_entry_from(a, r, own); });
  for (std::uint64_t r = 0; r < a.rows; ++r)
    if (first_ghost[r] < a.row_ptr.position(r + 1)) out.boundary.push_back(static_cast<std::uint32_t>(r));
  out.own.rows = a.rows;
  out.own.cols = own;
  out.ghosts.rows = out.boundary.size();
  out.ghosts.cols = a.cols - own;
  fill_rows(
      out.own, a, [&](std::uint64_t r) { return std::pair(a.row_ptr.position(r), first_ghost[r]); }, 0);
  fill_rows(
      out.ghosts, a,
      [&](std::uint64_t i) {
        const std::uint64_t r = out.boundary[i];
        return std::pair(first_ghost[r], a.row_ptr.position(r + 1));
      },
      static_cast<std::uint32_t>(own));
  return out;
}

}  // namespace spress::pipeline
