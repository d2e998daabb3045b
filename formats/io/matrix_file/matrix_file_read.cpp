#include "formats/io/matrix_file/matrix_file_read.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/threads.hpp"
#include "formats/io/matrix_file/file_parts.hpp"
#include "formats/io/matrix_file/row_block.hpp"
#include "formats/io/matrix_file/unfold.hpp"

namespace spress::io {
namespace {

/// The blocks of rows of a file.
class Blocks {
 public:
  Blocks(const ByteSource& source, const MatrixFileHead& head, std::span<const std::uint8_t> table, int threads)
      : source_(source), head_(head), format_{head.type, head.fold, table} {
    std::uint64_t row = 0;
    for (const BlockPlace& block : head.blocks) {
      first_rows_.push_back(row);
      row += block.rows;
    }
    threads_ = threads_for_bytes(threads, head.stored_entries() * 12);
  }

  using Notes = std::vector<std::vector<StreamNote>>;

  /// Decodes all blocks to where room_of(i, shape, worker) says. notes: for each block its streams, or null.
  template <class RoomOf>
  [[nodiscard]] Status decode(RoomOf room_of, Notes* notes = nullptr) const {
    if (notes != nullptr) notes->resize(head_.blocks.size());
    return parallel_try(
        head_.blocks.size(), threads_, [] { return Worker(); },
        [&](Worker& worker, std::size_t i) -> Status {
          if (notes != nullptr) worker.decoder.tell(&(*notes)[i]);
          const BlockPlace& place = head_.blocks[i];
          const BlockShape shape = {first_rows_[i], place.rows, place.entries, head_.cols, head_.fold != Fold::none};
          return with_block(source_, name_of_block(i), place, worker.stored, [&](auto bytes) {
            return decode_block(format_, shape, bytes, worker.decoder, room_of(i, shape, worker));
          });
        });
  }

  /// Decodes all blocks to nowhere.
  [[nodiscard]] Status check(Notes* notes = nullptr) const {
    const std::size_t width = size_of(head_.type);
    const auto nowhere = [&](std::size_t, const BlockShape& shape, Worker& worker) {
      const auto words = [](Scratch& scratch, std::uint64_t count) {
        return reinterpret_cast<std::uint32_t*>(scratch.room((count + 1) * sizeof(std::uint32_t)));
      };
      const std::size_t values = (shape.entries + 1) * width;
      return BlockRoom{words(worker.lengths, shape.rows), words(worker.columns, shape.entries),
                       worker.values.room(values),
                       head_.fold == Fold::pattern ? worker.mirrored.room(values) : nullptr};
    };
    return decode(nowhere, notes);
  }

 private:
  const ByteSource& source_;
  const MatrixFileHead& head_;
  BlockFormat format_;
  int threads_ = 1;
  std::vector<std::uint64_t> first_rows_;
};

/// Files that claim to hold far more than they are long are decoded twice: first to nowhere, so that memory is taken
/// only for what is really there.
Status prove_claims(const ByteSource& source, const MatrixFileHead& head, const Blocks& blocks) {
  constexpr std::uint64_t trusted_bytes = std::uint64_t{1} << 20, trusted_ratio = 64;
  const std::uint64_t claimed = head.rows * 8 + head.nnz * (4 + size_of(head.type));
  if (claimed <= trusted_bytes || claimed / trusted_ratio <= source.size()) return Ok{};
  return blocks.check();
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
  std::vector<std::uint64_t> first_entries;
  std::uint64_t first = 0;
  for (const BlockPlace& block : head.blocks) {
    first_entries.push_back(first);
    first += block.entries;
  }
  SPRESS_CHECK(blocks.decode([&](std::size_t i, const BlockShape& shape, Worker&) {
    const std::uint64_t at = first_entries[i];
    return BlockRoom{out.lengths.data() + shape.first_row, out.columns.data() + at, out.values.data() + at * width,
                     out.mirrored.data() + (out.mirrored.empty() ? 0 : at * width)};
  }));
  return out;
}

/// The matrix, of which all entries are there.
Csr<Owned> whole(LowerTriangle entries, const MatrixFileHead& head) {
  Csr<Owned> a;
  a.rows = head.rows;
  a.cols = head.cols;
  a.nnz = head.nnz;
  a.row_ptr = Positions<Owned>(position_type(head.nnz), head.rows + 1);
  fill_positions(a.row_ptr, [&]<class P>(P* row_ptr) {
    std::uint64_t at = 0;
    for (std::uint64_t r = 0; r < head.rows; ++r) {
      row_ptr[r] = static_cast<P>(at);
      at += entries.lengths[r];
    }
    row_ptr[head.rows] = static_cast<P>(at);
  });
  a.col_idx = std::move(entries.columns);
  a.values.type = head.type;
  a.values.count = head.nnz;
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
  constexpr std::array<std::string_view, 5> folds = {"none", "symmetric", "skew-symmetric", "hermitian", "pattern"};
  ContainerHead out;
  out.version = static_cast<int>(layout::matrix_version);
  out.format = "matrix";
  out.scalars = {{"rows", std::to_string(head.rows)},
                 {"cols", std::to_string(head.cols)},
                 {"nnz", std::to_string(head.nnz)},
                 {"value_type", std::string(enum_name(head.type))},
                 {"triangle_of", std::string(folds[static_cast<std::size_t>(head.fold)])},
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
  const Blocks blocks(source, head, parts.table, threads);
  SPRESS_CHECK(prove_claims(source, head, blocks));
  SPRESS_TRY(LowerTriangle entries, read_entries(head, blocks));
  Container container;
  auto& a = container.matrix.emplace<Csr<Owned>>();
  if (head.fold == Fold::none) {
    a = whole(std::move(entries), head);
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
  const Blocks blocks(source, head, parts.table, threads);
  SPRESS_CHECK(blocks.check(&notes));
  for (const auto& of_block : notes) add_notes(of_block, out.arrays);
  return out;
}

}  // namespace spress::io
