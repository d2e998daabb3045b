#include "formats/io/matrix_file/descriptor.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "formats/core/checks.hpp"
#include "formats/io/bytes/digits.hpp"
#include "formats/io/container/container_layout.hpp"
#include "formats/io/matrix_file/streams/stream.hpp"

namespace spress::io {
namespace {

using layout::damaged;

/// The types that values may have, by their number in the file.
constexpr std::array<ValueType, 3> value_types = {ValueType::none, ValueType::f64, ValueType::c128};

unsigned number_of(ValueType type) {
  return static_cast<unsigned>(std::find(value_types.begin(), value_types.end(), type) - value_types.begin());
}

/// The 16 hexadecimal digits of a digest as a number; none for any other text.
std::optional<std::uint64_t> number_of_digest(const std::string& text) {
  return text.size() == 16 ? parse_number(text, 16) : std::nullopt;
}

void put_place(const BlockPlace& place, std::vector<std::uint8_t>& out) {
  put_varint(place.stored, out);
  put_fixed(place.checksum, out);
}

/// Hands out the bytes between header and descriptor, block by block, without gaps.
class Places {
 public:
  Places(ByteReader& in, std::uint64_t next, std::uint64_t end) : in_(&in), next_(next), end_(end) {}

  [[nodiscard]] Status take(BlockPlace& place) {
    if (!in_->varint(place.stored) || !in_->fixed(place.checksum)) return damaged("the descriptor ends early");
    if (place.stored > end_ - next_) return damaged("a block reaches into the descriptor");
    place.offset = next_;
    next_ += place.stored;
    return Ok{};
  }
  [[nodiscard]] Status take(bool is_there, std::optional<BlockPlace>& place) {
    return is_there ? take(place.emplace()) : Status(Ok{});
  }
  [[nodiscard]] bool at_end() const { return next_ == end_; }

 private:
  ByteReader* in_;
  std::uint64_t next_, end_;
};

Status take_flags(ByteReader& in, MatrixFileHead& head, bool& is_made, unsigned& parts) {
  std::uint8_t what = 0, how = 0;
  if (!in.byte(what) || !in.byte(how)) return damaged("the descriptor ends early");
  const unsigned type = what >> 4 & 3u, fold = how & 7u;
  if (type >= value_types.size() || fold > static_cast<unsigned>(last_fold) || how >> 6 == 3)
    return damaged("the descriptor says something unknown of the matrix");
  head.info.matrix.field = static_cast<Field>(what & 3u);
  head.info.matrix.symmetry = static_cast<Symmetry>(what >> 2 & 3u);
  head.type = value_types[type];
  head.seekable = (what & 64u) != 0;
  is_made = what >= 128;
  head.fold = static_cast<Fold>(fold);
  const bool needs_values = head.fold == Fold::skew || head.fold == Fold::hermitian || head.fold == Fold::pattern;
  if ((needs_values && head.type == ValueType::none) || (head.fold == Fold::hermitian && head.type != ValueType::c128))
    return damaged("the descriptor says of one triangle what its values cannot be");
  parts = how >> 3;
  return Ok{};
}

Status take_numbers(ByteReader& in, MatrixFileHead& head) {
  MatrixInfo& matrix = head.info.matrix;
  const bool all = in.varint(head.rows) && in.varint(head.cols) && in.varint(head.nnz) &&
                   in.varint(matrix.stored_entries) && in.varint(matrix.duplicates) && in.text(matrix.name) &&
                   in.text(head.info.ordering);
  if (!all) return damaged("the descriptor ends early");
  if (head.info.ordering.empty()) head.info.ordering = "none";
  if (head.fold != Fold::none && head.rows != head.cols) return damaged("one triangle of a matrix that is not square");
  return checks::sides(head.rows, head.cols);
}

Status take_blocks(ByteReader& in, Places& places, MatrixFileHead& head) {
  std::uint64_t count = 0, rows = 0, entries = 0;
  if (!in.varint(count) || count > in.left()) return damaged("the descriptor ends early");
  head.blocks.resize(count);
  for (BlockPlace& block : head.blocks) {
    if (!in.varint(block.rows) || !in.varint(block.entries)) return damaged("the descriptor ends early");
    SPRESS_CHECK(places.take(block));
    const std::uint64_t most = most_numbers_in(block.stored);
    if (block.rows == 0 || block.rows > most || block.entries > most)
      return damaged("a block cannot hold as many rows or entries as the descriptor says");
    block.first_row = rows;
    block.first_entry = entries;
    rows += block.rows;
    entries += block.entries;
  }
  if (rows != head.rows) return damaged("the blocks hold another number of rows than the matrix");
  if (head.fold == Fold::none ? entries != head.nnz : entries > head.nnz || head.nnz > 2 * entries)
    return damaged("the blocks hold another number of entries than the matrix");
  return Ok{};
}

}  // namespace

std::uint64_t MatrixFileHead::stored_entries() const {
  return blocks.empty() ? 0 : blocks.back().first_entry + blocks.back().entries;
}

std::vector<std::uint8_t> matrix_file_descriptor(const MatrixFileHead& head) {
  std::vector<std::uint8_t> out;
  const MatrixInfo& matrix = head.info.matrix;
  const auto made_from = number_of_digest(head.info.made_from);
  const unsigned col_perm = head.col_perm ? 2 : head.col_perm_is_row_perm ? 1 : 0;
  out.push_back(static_cast<std::uint8_t>(static_cast<unsigned>(matrix.field) |
                                          static_cast<unsigned>(matrix.symmetry) << 2 | number_of(head.type) << 4 |
                                          (head.seekable ? 64u : 0u) | (made_from ? 128u : 0u)));
  out.push_back(static_cast<std::uint8_t>(static_cast<unsigned>(head.fold) | (head.comments ? 8u : 0u) |
                                          (head.table ? 16u : 0u) | (head.row_perm ? 32u : 0u) | col_perm << 6));
  for (const std::uint64_t number : {head.rows, head.cols, head.nnz, matrix.stored_entries, matrix.duplicates})
    put_varint(number, out);
  put_text(matrix.name, out);
  put_text(head.info.ordering == "none" ? "" : head.info.ordering, out);
  if (made_from) put_fixed(*made_from, out);
  for (const auto* place : {&head.comments, &head.table, &head.row_perm, &head.col_perm})
    if (*place) put_place(**place, out);
  put_varint(head.blocks.size(), out);
  for (const BlockPlace& block : head.blocks) {
    put_varint(block.rows, out);
    put_varint(block.entries, out);
    put_place(block, out);
  }
  return out;
}

Result<MatrixFileHead> parse_matrix_file_descriptor(std::span<const std::uint8_t> bytes, std::uint64_t first_block,
                                                    std::uint64_t blocks_end) {
  ByteReader in(bytes);
  MatrixFileHead head;
  unsigned parts = 0;
  bool is_made = false;
  SPRESS_CHECK(take_flags(in, head, is_made, parts));
  SPRESS_CHECK(take_numbers(in, head));
  if (std::uint64_t made_from = 0; is_made) {
    if (!in.fixed(made_from)) return damaged("the descriptor ends early");
    head.info.made_from = hexadecimal(made_from);
  }
  Places places(in, first_block, blocks_end);
  SPRESS_CHECK(places.take((parts & 1u) != 0, head.comments));
  SPRESS_CHECK(places.take((parts & 2u) != 0, head.table));
  SPRESS_CHECK(places.take((parts & 4u) != 0, head.row_perm));
  SPRESS_CHECK(places.take(parts >> 3 == 2, head.col_perm));
  head.col_perm_is_row_perm = parts >> 3 == 1;
  if (head.col_perm_is_row_perm && !head.row_perm) return damaged("names an order of rows that is not there");
  if (head.table && head.type == ValueType::none) return damaged("has a table of values, but no values");
  SPRESS_CHECK(take_blocks(in, places, head));
  if (in.left() != 0 || !places.at_end()) return damaged("has bytes that belong to nothing");
  return head;
}

}  // namespace spress::io
