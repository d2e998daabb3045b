#include "formats/hybrid_bm_csr.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "analyze/blocks.hpp"
#include "analyze/models.hpp"
#include "encode/bitmap_sizes.hpp"
#include "encode/codec.hpp"
#include "encode/common.hpp"
#include "encode/opt_csr_size.hpp"

namespace spress {
namespace {

using Format = HybridBmCsr<Owned>;

constexpr std::size_t modes = stored_modes.size();
constexpr std::uint32_t last_threshold = Format::none_dense;
constexpr auto block_counts_end = static_cast<std::size_t>(last_threshold);  // 1..64 entries

/// For each entry of the matrix, how many entries its block holds.
HostArray<std::uint8_t> entries_of_blocks(const Csr<Viewed>& a) {
  HostArray<std::uint8_t> counts(a.nnz);
#pragma omp parallel for schedule(dynamic, 64)
  for (std::uint64_t i = 0; i < block_rows_of(a.rows); ++i) {
    const std::uint64_t first = i * bitmap_side, height = std::min(bitmap_side, a.rows - first);
    std::uint64_t cursor[bitmap_side];
    for (std::uint64_t r = 0; r < height; ++r) cursor[r] = a.row_ptr.position(first + r);
    analyze::for_each_block(a, i, [&](std::uint32_t, std::uint64_t bitmap) {
      const auto held = static_cast<std::uint8_t>(std::popcount(bitmap));
      for (std::uint64_t r = 0; r < height; ++r)
        for (int n = std::popcount(bitmap >> (bitmap_side * r) & 0xFF); n > 0; --n) counts[cursor[r]++] = held;
    });
  }
  return counts;
}

/// What consecutive rows of the rest add to its size under one threshold and one index mode.
struct Tally {
  std::array<std::uint64_t, 3> entries = {};  // by the class of their row
  std::uint8_t first = 0, last = 0;           // classes of the first and last row
  bool grouped = true;                        // the classes never fall

  void add(std::uint8_t width, std::uint64_t n) {
    entries[width] += n;
    grouped = grouped && width >= last;
    last = width;
  }
  /// Takes the rows behind these.
  void append(const Tally& next) {
    for (std::size_t w = 0; w < 3; ++w) entries[w] += next.entries[w];
    grouped = grouped && next.grouped && next.first >= last;
    last = next.last;
  }
};
/// By threshold (from 1; element 0 is not used), by mode.
using Tallies = std::array<std::array<Tally, modes>, last_threshold + 1>;

/// Adds one row to the tallies of all thresholds. The rest of a row changes only behind thresholds that are the count
/// of one of its blocks, so the row is looked at once for each distinct count and not once for each threshold.
void tally_row(std::uint64_t row, const std::uint32_t* cols, const std::uint8_t* counts, std::uint64_t n, bool first,
               std::vector<std::uint32_t>& rest, Tallies& tallies) {
  std::uint64_t distinct = 0;
  for (std::uint64_t k = 0; k < n; ++k) distinct |= std::uint64_t{1} << (counts[k] - 1);
  rest.clear();
  std::array<std::uint8_t, modes> widths = {};
  for (std::uint32_t t = 1; t <= last_threshold; ++t) {
    if (t > 1 && (distinct >> (t - 2) & 1) != 0) {
      rest.clear();
      for (std::uint64_t k = 0; k < n; ++k)
        if (counts[k] < t) rest.push_back(cols[k]);
      for (std::size_t m = 0; m < modes; ++m)
        widths[m] =
            static_cast<std::uint8_t>(analyze::row_width(strategy_of(stored_modes[m]), row, rest.data(), rest.size()));
    }
    for (std::size_t m = 0; m < modes; ++m) {
      Tally& tally = tallies[t][m];
      if (first) tally.first = tally.last = widths[m];
      tally.add(widths[m], rest.size());
    }
  }
}

/// The tallies of the rest of all rows: consecutive pieces of the rows in parallel, put together in their order.
Tallies tally_rows(const Csr<Viewed>& a, const HostArray<std::uint8_t>& counts) {
  constexpr std::uint64_t piece = 4096;
  const std::uint64_t pieces = (a.rows + piece - 1) / piece;
  std::vector<Tallies> parts(pieces);
#pragma omp parallel for schedule(dynamic)
  for (std::uint64_t p = 0; p < pieces; ++p) {
    std::vector<std::uint32_t> rest;
    for (std::uint64_t r = p * piece; r < std::min(a.rows, (p + 1) * piece); ++r) {
      const std::uint64_t begin = a.row_ptr.position(r);
      tally_row(r, a.col_idx.data() + begin, counts.data() + begin, a.row_ptr.position(r + 1) - begin, r == p * piece,
                rest, parts[p]);
    }
  }
  Tallies all = {};
  for (const Tallies& part : parts)
    for (std::size_t t = 1; t < all.size(); ++t)
      for (std::size_t m = 0; m < modes; ++m) all[t][m].append(part[t][m]);
  return all;
}

/// The split by one threshold, and what it costs.
struct Split {
  std::uint32_t threshold = last_threshold;
  std::uint64_t dense = 0;  // entries in dense blocks
  SizeEstimate size;
};

Split split_at(const Csr<Viewed>& a, std::uint32_t threshold, std::uint64_t blocks, std::uint64_t dense,
               const std::array<Tally, modes>& tallies) {
  const std::uint64_t rows = dense == a.nnz ? 0 : a.rows;
  const SizeEstimate bm = bmsparse_csr_size(dense == 0 ? 0 : a.rows, blocks, dense);
  std::uint64_t csr = 0, model = 0;
  for (std::size_t m = 0; m < modes; ++m) {
    const std::uint64_t bytes =
        opt_csr_index_bytes(stored_modes[m], rows, tallies[m].entries, rows == 0 || tallies[m].grouped);
    csr = m == 0 ? bytes : std::min(csr, bytes);
    if (stored_modes[m] == IndexMode::delta) model = analyze::opt_csr_model(tallies[m].entries, rows);
  }
  return {threshold, dense, {bm.index_bytes + csr, bm.model_index_bytes + model, a.nnz}};
}

/// Every threshold's split. Where no block holds exactly t entries, t + 1 splits as t does.
std::vector<Split> all_splits(const Csr<Viewed>& a, const HostArray<std::uint8_t>& counts) {
  std::array<std::uint64_t, block_counts_end> held = {};  // entries in blocks of 1..64 entries
  for (std::uint64_t k = 0; k < a.nnz; ++k) ++held[counts[k]];
  const Tallies tallies = tally_rows(a, counts);
  std::vector<Split> splits;
  std::uint64_t blocks = 0, dense = 0;
  for (std::uint32_t t = last_threshold; t >= 1; --t) {
    if (t < last_threshold) {
      blocks += held[t] / t;
      dense += held[t];
    }
    splits.push_back(split_at(a, t, blocks, dense, tallies[t]));
  }
  return splits;
}

/// The split asked for, or the smallest; among equals, the one with the fewest blocks.
Result<Split> choose_split(const Csr<Viewed>& a, const HostArray<std::uint8_t>& counts, AutoNumber threshold) {
  if (threshold && (*threshold < 1 || *threshold > last_threshold))
    return Error{ErrorCode::usage,
                 "hybrid-bm-csr: threshold=" + std::to_string(*threshold) + ": expected auto or 1 to 65",
                 {},
                 0};
  const auto splits = all_splits(a, counts);
  if (threshold) return splits[last_threshold - *threshold];
  return *std::min_element(splits.begin(), splits.end(), [](const Split& s, const Split& other) {
    return s.size.index_bytes < other.size.index_bytes;
  });
}

/// The entries of `a` for which keep(k) holds, `nnz` of them; without entries, a matrix of no rows.
template <class Keep>
Csr<Owned> entries_where(const Csr<Viewed>& a, std::uint64_t nnz, Keep&& keep) {
  Csr<Owned> out;
  out.rows = nnz == 0 ? 0 : a.rows;
  out.cols = a.cols;
  out.nnz = nnz;
  out.row_ptr = make_positions(out.rows + 1, nnz);
  out.col_idx = HostArray<std::uint32_t>(nnz);
  out.values = empty_like(a.values, nnz);
  fill_positions(out.row_ptr, [&]<class Position>(Position* row_ptr) {
    row_ptr[0] = 0;
#pragma omp parallel for schedule(static)
    for (std::uint64_t r = 0; r < out.rows; ++r) {
      Position n = 0;
      for (std::uint64_t k = a.row_ptr.position(r); k < a.row_ptr.position(r + 1); ++k) n += keep(k) ? 1u : 0u;
      row_ptr[r + 1] = n;
    }
    for (std::uint64_t r = 0; r < out.rows; ++r) row_ptr[r + 1] += row_ptr[r];
  });
  const auto move = [&](auto* to, const auto* from) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t r = 0; r < out.rows; ++r) {
      std::uint64_t next = out.row_ptr.position(r);
      for (std::uint64_t k = a.row_ptr.position(r); k < a.row_ptr.position(r + 1); ++k)
        if (keep(k)) to[next++] = from[k];
    }
  };
  move(out.col_idx.data(), a.col_idx.data());
  permute_codes(out.values, a.values, move);
  return out;
}

/// Puts the codes of both parts one behind the other.
void join_values(Format& out) {
  std::uint8_t* to = out.values.codes.memory.data();
  const auto append = [&](ValueStore<Owned>& part) {
    if (part.codes.bytes() != 0) std::memcpy(to, part.codes.raw(), part.codes.bytes());
    if (part.codes.bytes() != 0) to += part.codes.bytes();
    part = {};
  };
  append(out.bm.values);
  append(out.csr.values);
}

/// The rows of two matrices without common entries, merged. An empty one may have no rows.
Csr<Owned> merge(std::uint64_t rows, const Csr<Viewed>& a, const Csr<Viewed>& b) {
  Csr<Owned> out;
  out.rows = rows;
  out.cols = a.cols;
  out.nnz = a.nnz + b.nnz;
  const auto at = [](const Csr<Viewed>& m, std::uint64_t r) { return m.rows == 0 ? 0 : m.row_ptr.position(r); };
  out.row_ptr = make_positions(rows + 1, out.nnz);
  fill_positions(out.row_ptr, [&]<class Position>(Position* row_ptr) {
    for (std::uint64_t r = 0; r <= rows; ++r) row_ptr[r] = static_cast<Position>(at(a, r) + at(b, r));
  });
  out.col_idx = HostArray<std::uint32_t>(out.nnz);
  out.values = empty_like(a.values, out.nnz);
  const auto move = [&](auto* to, const auto* from_a, const auto* from_b) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t r = 0; r < rows; ++r) {
      std::uint64_t i = at(a, r), j = at(b, r);
      const std::uint64_t end_a = at(a, r + 1), end_b = at(b, r + 1);
      for (std::uint64_t k = i + j; k < end_a + end_b; ++k) {
        const bool take_a = j == end_b || (i < end_a && a.col_idx[i] < b.col_idx[j]);
        to[k] = take_a ? from_a[i++] : from_b[j++];
      }
    }
  };
  move(out.col_idx.data(), a.col_idx.data(), b.col_idx.data());
  permute_codes(out.values, a.values, [&]<class Code>(Code* to, const Code* from) {
    move(to, from, static_cast<const Code*>(b.values.codes.raw()));
  });
  return out;
}

}  // namespace

template <>
Result<Format> encode<HybridBmCsr>(const Csr<Viewed>& a, const Format::Params& params) {
  const auto counts = entries_of_blocks(a);
  SPRESS_TRY(const Split split, choose_split(a, counts, params.threshold));
  const auto dense = [&](std::uint64_t k) { return counts[k] >= split.threshold; };
  const auto scattered = [&](std::uint64_t k) { return counts[k] < split.threshold; };
  Format out;
  copy_shape(out, a);
  out.threshold = split.threshold;
  SPRESS_TRY(out.bm, encode<BmSparseCsr>(view_of(entries_where(a, split.dense, dense)), {}));
  SPRESS_TRY(out.csr, encode<OptCsr>(view_of(entries_where(a, a.nnz - split.dense, scattered)), {}));
  out.values = empty_like(a.values, a.nnz);
  join_values(out);
  return out;
}

template <>
Csr<Owned> decode<HybridBmCsr>(const HybridBmCsr<Viewed>& f) {
  const Csr<Owned> dense = decode<BmSparseCsr>(dense_part(f)), scattered = decode<OptCsr>(scattered_part(f));
  return merge(f.rows, view_of(dense), view_of(scattered));
}

template <>
Result<SizeEstimate> estimate<HybridBmCsr>(const Csr<Viewed>& a, const Format::Params& params) {
  SPRESS_TRY(const Split split, choose_split(a, entries_of_blocks(a), params.threshold));
  return split.size;
}

}  // namespace spress
