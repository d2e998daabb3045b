#include "formats/io/matrix_file/matrix_file_read.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/memory.hpp"
#include "formats/core/threads.hpp"
#include "formats/io/matrix_file/file_parts.hpp"
#include "formats/io/matrix_file/positions_of.hpp"
#include "formats/io/matrix_file/row_block.hpp"
#include "formats/io/matrix_file/triangle/unfold.hpp"

namespace spress::io {
namespace {

/// The blocks of rows of a file.
class Blocks {
 public:
  Blocks(const ByteSource& source, const MatrixFileHead& head, std::span<const std::uint8_t> table, int threads)
      : source_(source),
        head_(head),
        format_{head.type, head.fold, table},
        threads_(threads_for_bytes(threads, head.stored_entries() * 12)) {}

  using Notes = std::vector<std::vector<StreamNote>>;

  /// Decodes each block to where room_of(block, worker) says, and calls use(block, room) then. notes: for each block
  /// its streams, or null.
  template <class RoomOf, class Use>
  [[nodiscard]] Status decode(RoomOf room_of, Use use, Notes* notes = nullptr) const {
    if (notes != nullptr) notes->resize(head_.blocks.size());
    return parallel_try(
        head_.blocks.size(), threads_, [] { return Worker(); },
        [&](Worker& worker, std::size_t i) -> Status {
          if (notes != nullptr) worker.decoder.tell(&(*notes)[i]);
          const BlockPlace& block = head_.blocks[i];
          return with_block(source_, name_of_block(i), block, worker.stored, [&](auto bytes) -> Status {
            const BlockRoom room = room_of(block, worker);
            SPRESS_CHECK(decode_block(format_, head_.shape_of(block), bytes, worker.decoder, room));
            use(block, room);
            return Ok{};
          });
        });
  }

  /// Decodes all blocks to nowhere.
  [[nodiscard]] Status check(Notes* notes = nullptr) const {
    const auto nowhere = [&](const BlockPlace& block, Worker& worker) { return worker.room_for(block, head_); };
    std::atomic<std::uint64_t> on_diagonal = 0;
    SPRESS_CHECK(decode(
        nowhere, [&](const BlockPlace& block, const BlockRoom& room) { on_diagonal += diagonals(block, room); },
        notes));
    if (head_.fold != Fold::none && 2 * head_.stored_entries() - on_diagonal != head_.nnz) return other_entries();
    return Ok{};
  }

 private:
  /// The entries of a lower triangle's block that stand on the diagonal: each is the last of its row.
  [[nodiscard]] static std::uint64_t diagonals(const BlockPlace& block, const BlockRoom& room) {
    std::uint64_t count = 0, at = 0;
    for (std::uint64_t r = 0; r < block.rows; ++r) {
      at += room.lengths[r];
      if (room.lengths[r] != 0 && room.columns[at - 1] == block.first_row + r) ++count;
    }
    return count;
  }

  const ByteSource& source_;
  const MatrixFileHead& head_;
  BlockFormat format_;
  int threads_;
};

Status prove_claims(const ByteSource& source, const MatrixFileHead& head, const Blocks& blocks) {
  const std::uint64_t claimed = head.rows * 8 + head.nnz * (4 + size_of(head.type));
  return layout::must_be_proven(claimed, source) ? blocks.check() : Status(Ok{});
}

/// All blocks, one after another, in arrays.
Result<LowerTriangle> read_entries(const MatrixFileHead& head, const Blocks& blocks) {
  const std::size_t width = size_of(head.type);
  const std::uint64_t entries = head.stored_entries();
  LowerTriangle out;
  out.rows = head.rows;
  out.lengths = HostArray<std::uint32_t>(head.rows);
  out.columns = HostArray<std::uint32_t>(entries);
  out.values = HostArray<std::uint8_t>(entries * width);
  if (head.fold == Fold::pattern) out.mirrored = HostArray<std::uint8_t>(entries * width);
  const auto own_place = [&](const BlockPlace& block, Worker&) {
    const std::uint64_t at = block.first_entry;
    return BlockRoom{out.lengths.data() + block.first_row, out.columns.data() + at, out.values.data() + at * width,
                     out.mirrored.data() + (out.mirrored.empty() ? 0 : at * width)};
  };
  SPRESS_CHECK(blocks.decode(own_place, [](const BlockPlace&, const BlockRoom&) {}));
  return out;
}

/// The matrix, of which all entries are there.
Csr<Owned> whole(LowerTriangle entries, const MatrixFileHead& head, int threads) {
  Csr<Owned> a;
  a.rows = head.rows;
  a.cols = head.cols;
  a.nnz = head.nnz;
  a.row_ptr = positions_of(entries.lengths, head.nnz, threads);
  a.col_idx = std::move(entries.columns);
  if (head.type == ValueType::none) {
    a.values = pattern_store(head.nnz);
  } else {
    a.values = uninitialised_raw_store(head.type, 0);
    a.values.count = head.nnz;
    a.values.codes.memory = std::move(entries.values);
  }
  return a;
}

ContainerHead container_head(const MatrixFileHead& head, const ByteSource& source) {
  ContainerHead out;
  out.version = static_cast<int>(layout::matrix_version);
  out.format = "matrix";
  out.scalars = {{"rows", std::to_string(head.rows)},
                 {"cols", std::to_string(head.cols)},
                 {"nnz", std::to_string(head.nnz)},
                 {"value_type", std::string(enum_name(head.type))},
                 {"triangle_of", std::string(enum_name(head.fold))},
                 {"seekable", head.seekable ? "yes" : "no"},
                 {"blocks", std::to_string(head.blocks.size())}};
  out.info = head.info;
  out.file_bytes = source.size();
  return out;
}

[[nodiscard]] Role role_of(std::string_view stream) {
  if (stream.starts_with("order")) return Role::permutation;
  if (stream.starts_with("row")) return Role::pointer;
  if (stream.starts_with("column") || stream == "first columns") return Role::index;
  return stream == "comments" ? Role::metadata : Role::value;
}

/// The streams of all blocks, those of one name together, in the order in which they were first met.
void add_notes(const std::vector<StreamNote>& notes, std::vector<ArrayRecord>& arrays) {
  for (const StreamNote& note : notes) {
    auto array = std::find_if(arrays.begin(), arrays.end(), [&](const ArrayRecord& a) { return a.name == note.name; });
    if (array == arrays.end())
      array = arrays.insert(array, {note.name, std::string(to_string(role_of(note.name))), note.type, 0, {}});
    const auto bits = [](const std::string& type) { return std::stoi(type.substr(1)); };
    if (bits(note.type) > bits(array->type)) array->type = note.type;
    array->count += note.count;
    array->blocks.push_back({0, note.stored, note.bytes, 0, note.coding});
  }
}

}  // namespace

Result<Container> read_matrix_file(const ByteSource& source, const layout::Header& header, int threads) {
  SPRESS_TRY(const MatrixFileHead head, read_descriptor(source, header));
  Worker worker;
  SPRESS_TRY(Parts parts, read_parts(source, head, worker));
  const Blocks blocks(source, head, parts.table.span(), threads);
  SPRESS_CHECK(prove_claims(source, head, blocks));
  SPRESS_CHECK(fits_memory(8 * head.rows, "a length and a pointer for each row"));
  SPRESS_TRY(LowerTriangle entries, read_entries(head, blocks));
  Container container;
  auto& a = container.matrix.emplace<Csr<Owned>>();
  if (head.fold == Fold::none) {
    a = whole(std::move(entries), head, threads);
  } else {
    SPRESS_TRY(a, unfold(entries, head.fold, head.type, head.nnz, threads));
  }
  container.info = head.info;
  container.info.matrix.comments = std::move(parts.comments);
  container.info.row_perm = std::move(parts.row_perm);
  container.info.col_perm = std::move(parts.col_perm);
  return container;
}

Result<ContainerHead> read_matrix_file_head(const ByteSource& source, const layout::Header& header) {
  SPRESS_TRY(const MatrixFileHead head, read_descriptor(source, header));
  return container_head(head, source);
}

Result<ContainerHead> check_matrix_file(const ByteSource& source, const layout::Header& header, int threads) {
  SPRESS_TRY(const MatrixFileHead head, read_descriptor(source, header));
  ContainerHead out = container_head(head, source);
  Worker worker;
  Blocks::Notes notes(1);
  worker.decoder.tell(&notes.front());
  SPRESS_TRY(const Parts parts, read_parts(source, head, worker));
  if (head.comments)
    notes.front().push_back(
        {"comments", "u8", "zstd", parts.comments.size(), parts.comments.size(), head.comments->stored});
  add_notes(notes.front(), out.arrays);
  notes.clear();
  const Blocks blocks(source, head, parts.table.span(), threads);
  SPRESS_CHECK(blocks.check(&notes));
  for (const auto& of_block : notes) add_notes(of_block, out.arrays);
  return out;
}

}  // namespace spress::io
