#include "kernels/cuda/csr/opt_csr_tiles.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

namespace spress::cuda {
namespace {

constexpr std::uint64_t lanes = 32;
constexpr std::uint64_t most_entries = 0xFFFF;

/// So many lanes share a row where a tile has `rows`.
std::uint64_t lanes_per_row(std::uint64_t rows) { return std::bit_floor(lanes / rows); }

template <class Code>
std::uint32_t sign_extended(Code code) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::make_signed_t<Code>>(code)));
}

/// The codes of one section, read where rows are cut.
template <class Code>
class Section {
 public:
  Section(const OptCsr<Viewed>& a, std::size_t s, const Code* codes) : a_(a), codes_(codes) {
    begin_ = a.section_start.position(s);
    end_ = a.section_start.position(s + 1);
    first_entry_ = a.row_ptr.position(begin_);
  }
  [[nodiscard]] std::uint64_t begin() const { return begin_; }
  [[nodiscard]] std::uint64_t end() const { return end_; }
  [[nodiscard]] std::uint32_t matrix_row(std::uint64_t i) const {
    return a_.row_perm.empty() ? static_cast<std::uint32_t>(i) : a_.row_perm[i];
  }
  /// RowPiece::base for the first piece of stored row i, whose first entry is k, and for a piece behind entries [k,
  /// end).
  [[nodiscard]] std::uint32_t first_base(std::uint64_t i, std::uint64_t k) const {
    if (a_.index == IndexMode::diagonal) return matrix_row(i);
    const Code code = codes_[k - first_entry_];
    return (a_.index == IndexMode::delta ? a_.first_col[i] : matrix_row(i) + sign_extended(code)) - code;
  }
  [[nodiscard]] std::uint32_t next_base(std::uint32_t base, std::uint64_t k, std::uint64_t end) const {
    if (a_.index == IndexMode::diagonal) return base;
    for (; k < end; ++k) base += codes_[k - first_entry_];
    return base;
  }

 private:
  const OptCsr<Viewed>& a_;
  const Code* codes_;
  std::uint64_t begin_, end_, first_entry_;
};

class Cutter {
 public:
  explicit Cutter(const TileLimits& most) : most_(most) {}

  template <class Position, class Code>
  void cut(const Position* row_ptr, unsigned section, const Section<Code>& codes, std::uint64_t value_bytes) {
    const std::uint64_t entry_bytes = sizeof(Code) + value_bytes;
    const std::uint64_t most = std::min(most_.bytes / entry_bytes, most_entries);
    section_ = section;
    for (std::uint64_t i = codes.begin(); i < codes.end(); ++i) {
      const std::uint64_t begin = row_ptr[i], n = row_ptr[i + 1] - begin;
      if (n > most) {
        end_tile();
        cut_row(i, begin, begin + n, most, codes);
        note_bytes(most * entry_bytes);
        continue;
      }
      if (rows_ != 0 && !fits(n, most)) end_tile();
      if (rows_ == 0) row_ = i, entry_ = begin;
      ++rows_;
      entries_ += n;
      longest_ = std::max(longest_, n);
      note_bytes(entries_ * entry_bytes);
    }
    end_tile();
  }

  [[nodiscard]] Tiling take() && {
    pieces_.insert(pieces_.end(), out_.tiles.begin(), out_.tiles.end());
    out_.tiles = std::move(pieces_);
    return std::move(out_);
  }

 private:
  /// Whether a row of n entries joins the tile: it has room, and the lanes do not wait long for the longest row.
  [[nodiscard]] bool fits(std::uint64_t n, std::uint64_t most) const {
    const std::uint64_t entries = entries_ + n;
    if (rows_ == most_.rows || entries > most) return false;
    const std::uint64_t steps = std::max(longest_, n) / lanes_per_row(rows_ + 1);
    return steps * lanes <= 4 * entries + 8 * lanes;
  }

  void note_bytes(std::uint64_t bytes) {
    out_.largest_bytes = std::max(out_.largest_bytes, static_cast<std::uint32_t>(bytes));
  }

  void end_tile() {
    if (rows_ != 0) {
      out_.lane_steps += rows_ * longest_;
      out_.tiles.push_back(tile(entry_, static_cast<std::uint32_t>(row_), entries_, rows_,
                                static_cast<unsigned>(std::countr_zero(lanes_per_row(rows_)))));
    }
    rows_ = entries_ = longest_ = 0;
  }

  template <class Code>
  void cut_row(std::uint64_t i, std::uint64_t begin, std::uint64_t end, std::uint64_t most,
               const Section<Code>& codes) {
    LongRow row{out_.pieces.size(), static_cast<std::uint32_t>(i), 0};
    std::uint32_t base = codes.first_base(i, begin);
    for (std::uint64_t n = 0; begin < end; begin += n, ++row.pieces) {
      n = std::min(most, end - begin);
      out_.lane_steps += n;
      pieces_.push_back(tile(begin, static_cast<std::uint32_t>(out_.pieces.size()), n, 0, 5));
      out_.pieces.push_back({base});
      base = codes.next_base(base, begin, begin + n);
    }
    out_.long_rows.push_back(row);
  }

  [[nodiscard]] Tile tile(std::uint64_t entry, std::uint32_t row, std::uint64_t entries, std::uint64_t rows,
                          unsigned log_lanes) const {
    Tile out;
    out.entry = entry;
    out.row = row;
    out.entries = static_cast<std::uint16_t>(entries);
    out.rows = static_cast<std::uint8_t>(rows);
    out.section = section_ & 3u;
    out.log_lanes = log_lanes & 7u;
    return out;
  }

  Tiling out_;
  std::vector<Tile> pieces_;
  const TileLimits most_;
  std::uint64_t row_ = 0, entry_ = 0, rows_ = 0, entries_ = 0, longest_ = 0;
  unsigned section_ = 0;
};

}  // namespace

Tiling cut_into_tiles(const OptCsr<Viewed>& a, const TileLimits& most) {
  Cutter cutter(most);
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    const std::uint64_t width = code_width(a.values);
    cutter.cut(row_ptr, 0, Section(a, 0, a.col8.data()), width);
    cutter.cut(row_ptr, 1, Section(a, 1, a.col16.data()), width);
    cutter.cut(row_ptr, 2, Section(a, 2, a.col32.data()), width);
  });
  return std::move(cutter).take();
}

}  // namespace spress::cuda
