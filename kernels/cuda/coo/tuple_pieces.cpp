#include "kernels/cuda/coo/tuple_pieces.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace spress::cuda {
namespace {

using bccoo_gpu::entries_of;
constexpr std::uint32_t warp_size = 32;

/// Wavefronts of shared memory that four loads by all lanes take, for rows of `row_entries` entries. A load takes one
/// wavefront for each word that it asks of the busiest bank.
unsigned wavefronts(std::uint32_t row_entries, std::uint32_t tuple, unsigned lane_bits) {
  unsigned total = 0;
  for (std::uint32_t shift = 0; shift < 4; ++shift) {
    std::array<std::uint8_t, 32> words{};
    std::uint32_t before = ~0u;
    for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
      const std::uint32_t entry = (lane >> lane_bits) * row_entries + (lane & ((1u << lane_bits) - 1));
      const std::uint32_t word = (shift + entry * tuple) / 4;
      if (word != before) ++words[word % 32];
      before = word;
    }
    total += *std::max_element(words.begin(), words.end());
  }
  return total;
}

/// The rows of a piece, and the lanes of a row as a power of two.
struct PieceShape {
  std::uint32_t rows = 0;
  std::uint8_t lane_bits = 0;
};

/// The cheapest shape by a model, for a piece of at most `rows` rows with `entries` entries together. The model rewards
/// whole turns of the warp, few steps in each turn, and few conflicts between banks.
PieceShape best_shape(std::uint32_t rows, std::uint32_t entries, std::uint32_t tuple) {
  constexpr double for_a_piece = 4, for_a_turn = 0.5, for_a_sum_over_lanes = 0.35, for_x = 0.35, for_wavefront = 0.04;
  const double average = static_cast<double>(entries) / rows;
  PieceShape best;
  double least = 0;
  for (std::uint8_t bits = 0; bits <= 5; ++bits) {
    const std::uint32_t at_once = warp_size >> bits, taken = rows >= at_once ? rows / at_once * at_once : rows;
    const double step = for_x + for_wavefront * wavefronts(static_cast<std::uint32_t>(average + 0.5), tuple, bits);
    const double steps = std::ceil(average / (1u << bits) - 0.01);
    const double turn = steps * step + for_a_sum_over_lanes * bits + for_a_turn;
    const std::uint32_t turns = (taken + at_once - 1) / at_once;
    const double cost = (turns * turn + for_a_piece) / taken;
    if (best.rows == 0 || cost < least) least = cost, best = {taken, bits};
  }
  return best;
}

/// The tuples from one entry of a chunk to the chunk's end and, where it has the same format, of the next chunk.
template <std::size_t width>
struct TupleStretch {
  const BccooGpu<Viewed>& host;
  std::uint64_t chunk, here, entries, tuple_bytes, begin;  // here: entries of the chunk
  bool joined;

  TupleStretch(const BccooGpu<Viewed>& matrix, std::uint64_t h, std::uint64_t entry) : host(matrix), chunk(h) {
    const std::uint64_t of_chunk = entries_of<width>(host, h), at = host.offset.position(h);
    tuple_bytes = (host.offset.position(h + 1) - at) / of_chunk;
    begin = at + entry * tuple_bytes;
    here = of_chunk - entry;
    joined = h + 1 < host.row.size() && host.format[h + 1] == host.format[h];
    entries = here + (joined ? entries_of<width>(host, h + 1) : 0);
  }

  [[nodiscard]] std::uint64_t row(std::uint64_t i) const {
    return host.data[begin + i * tuple_bytes] + std::uint64_t{host.row[i < here ? chunk : chunk + 1]};
  }
  /// The first of entries [0, end) in row `wanted` or after it, or `end`.
  [[nodiscard]] std::uint64_t first_of(std::uint64_t wanted, std::uint64_t end) const {
    std::uint64_t low = 0;
    while (low < end) {
      const std::uint64_t middle = (low + end) / 2;
      if (row(middle) < wanted)
        low = middle + 1;
      else
        end = middle;
    }
    return low;
  }
};

/// Cuts a matrix into pieces.
template <std::size_t width>
class PieceCutter {
 public:
  PieceCutter(const BccooGpu<Viewed>& host, std::uint32_t most_entries) : host_(host), most_entries_(most_entries) {}

  /// The pieces, in order.
  [[nodiscard]] std::vector<TuplePiece> pieces() {
    while (chunk_ < host_.row.size()) add_piece();
    if (!pieces_.empty()) pieces_.back().next_row = static_cast<std::uint32_t>(host_.rows);
    return std::move(pieces_);
  }

 private:
  void add_piece() {
    const TupleStretch<width> stretch(host_, chunk_, entry_);
    const std::uint64_t first_row = stretch.row(0);
    const auto [entries, lane_bits] = next_piece(stretch, first_row);
    const std::uint64_t last_row = stretch.row(entries - 1);
    const bool begun = !pieces_.empty() && last_row_ == first_row, both = stretch.here < entries;
    if (!pieces_.empty()) pieces_.back().next_row = static_cast<std::uint32_t>(first_row);
    pieces_.push_back({stretch.begin, static_cast<std::uint32_t>(first_row), 0, host_.column[chunk_],
                       both ? host_.column[chunk_ + 1] : 0, static_cast<std::uint16_t>(entries),
                       static_cast<std::uint16_t>(std::min(stretch.here, entries)),
                       static_cast<std::uint8_t>(both ? host_.row[chunk_ + 1] - first_row : 0),
                       static_cast<std::uint8_t>(last_row - first_row), lane_bits,
                       static_cast<std::uint8_t>(host_.format[chunk_] | (begun ? begun_bit : 0))});
    last_row_ = last_row;
    go_on(stretch, entries);
  }

  /// The entries of the next piece, and the lanes of each of its rows as a power of two.
  std::pair<std::uint64_t, std::uint8_t> next_piece(const TupleStretch<width>& stretch, std::uint64_t first_row) {
    const std::uint64_t most = std::min<std::uint64_t>(most_entries_, stretch.entries);
    std::uint64_t end = stretch.first_of(first_row + piece_rows, most);
    const bool row_ends = end < stretch.entries ? stretch.row(end) != stretch.row(end - 1) : !stretch.joined;
    const std::uint64_t whole = row_ends ? end : stretch.first_of(stretch.row(end - 1), end);
    if (whole != 0) end = whole;
    const auto rows = static_cast<std::uint32_t>(stretch.row(end - 1) - first_row + 1);
    const PieceShape shape =
        shape_for(rows, static_cast<std::uint32_t>(end), static_cast<std::uint32_t>(stretch.tuple_bytes));
    return {shape.rows < rows ? stretch.first_of(first_row + shape.rows, end) : end, shape.lane_bits};
  }

  /// Kept by arguments, since most pieces of a matrix are alike.
  PieceShape shape_for(std::uint32_t rows, std::uint32_t entries, std::uint32_t tuple) {
    PieceShape& known = shapes_[{rows, entries, tuple}];
    if (known.rows == 0) known = best_shape(rows, entries, tuple);
    return known;
  }

  void go_on(const TupleStretch<width>& stretch, std::uint64_t entries) {
    entry_ += entries;
    if (entries < stretch.here) return;
    ++chunk_;
    entry_ = entries - stretch.here;
    if (entries < stretch.entries || !stretch.joined) return;
    ++chunk_;
    entry_ = 0;
  }

  const BccooGpu<Viewed>& host_;
  std::uint32_t most_entries_;  // of a piece
  std::vector<TuplePiece> pieces_;
  std::map<std::array<std::uint32_t, 3>, PieceShape> shapes_;
  std::uint64_t chunk_ = 0, entry_ = 0, last_row_ = 0;
};

}  // namespace

template <std::size_t width>
std::vector<TuplePiece> cut_into_pieces(const BccooGpu<Viewed>& host, std::uint32_t most) {
  auto pieces = PieceCutter<width>(host, most).pieces();
  if (pieces.empty()) return pieces;
  std::vector<std::uint32_t> entries(pieces.size());
  std::transform(pieces.begin(), pieces.end(), entries.begin(), [](const TuplePiece& piece) { return piece.entries; });
  const auto usual = entries.begin() + static_cast<std::ptrdiff_t>(entries.size() * 9 / 10);
  std::nth_element(entries.begin(), usual, entries.end());
  if (*usual < most) pieces = PieceCutter<width>(host, std::max(*usual, most / 2)).pieces();
  return pieces;
}

template <std::size_t width>
std::vector<TuplePiece> chunks_as_pieces(const BccooGpu<Viewed>& host) {
  std::vector<TuplePiece> pieces(host.row.size());
  std::uint64_t row_before = host.rows;  // of the last entry of the chunk before
  for (std::uint64_t h = 0; h < pieces.size(); ++h) {
    const std::uint64_t entries = entries_of<width>(host, h), begin = host.offset.position(h);
    const std::uint64_t tuple_bytes = (host.offset.position(h + 1) - begin) / entries;
    const std::uint8_t rows_less_one = host.data[begin + (entries - 1) * tuple_bytes];
    const auto next_row = h + 1 < pieces.size() ? host.row[h + 1] : static_cast<std::uint32_t>(host.rows);
    pieces[h] = {begin,
                 host.row[h],
                 next_row,
                 host.column[h],
                 0,
                 static_cast<std::uint16_t>(entries),
                 static_cast<std::uint16_t>(entries),
                 0,
                 rows_less_one,
                 0,
                 static_cast<std::uint8_t>(host.format[h] | (row_before == host.row[h] ? begun_bit : 0))};
    row_before = std::uint64_t{host.row[h]} + rows_less_one;
  }
  return pieces;
}

template std::vector<TuplePiece> cut_into_pieces<0>(const BccooGpu<Viewed>&, std::uint32_t);
template std::vector<TuplePiece> cut_into_pieces<4>(const BccooGpu<Viewed>&, std::uint32_t);
template std::vector<TuplePiece> cut_into_pieces<8>(const BccooGpu<Viewed>&, std::uint32_t);

template std::vector<TuplePiece> chunks_as_pieces<0>(const BccooGpu<Viewed>&);
template std::vector<TuplePiece> chunks_as_pieces<4>(const BccooGpu<Viewed>&);
template std::vector<TuplePiece> chunks_as_pieces<8>(const BccooGpu<Viewed>&);

}  // namespace spress::cuda
