#include "formats/io/entries/entries.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

namespace spress::io {

class BlockArena::Chunk {
 public:
  explicit Chunk(std::size_t bytes) : bytes_(bytes) {
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<std::byte*>(memory);
  }
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;
  ~Chunk() { ::munmap(data_, bytes_); }
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_;
};

BlockArena::Piece BlockArena::take(std::size_t bytes) {
  constexpr std::size_t chunk_bytes = std::size_t{4} << 20, alignment = 16;
  bytes = (bytes + alignment - 1) / alignment * alignment;
  if (chunk_ == nullptr || bytes > size_ - used_) {
    size_ = std::max(bytes, chunk_bytes);
    chunk_ = std::make_shared<Chunk>(size_);
    used_ = 0;
  }
  Piece piece{chunk_->data() + used_, chunk_};
  used_ += bytes;
  return piece;
}

PackedIds::PackedIds(std::span<const std::uint32_t> ids) : count_(ids.size()) {
  if (ids.empty()) return;
  std::uint32_t smallest = ids[0], largest = ids[0];
  runs_ = 1;
  for (std::size_t k = 1; k < ids.size(); ++k) {
    smallest = std::min(smallest, ids[k]);
    largest = std::max(largest, ids[k]);
    runs_ += ids[k] != ids[k - 1];
  }
  base_ = smallest;
  const bool narrow = largest - smallest <= std::numeric_limits<std::uint16_t>::max();
  coding_ = narrow ? Coding::offset16 : Coding::plain;
  if (runs_ * 2 * sizeof(std::uint32_t) < bytes()) coding_ = Coding::runs;
}

std::size_t PackedIds::bytes() const {
  switch (coding_) {
    case Coding::plain: return count_ * sizeof(std::uint32_t);
    case Coding::offset16: return count_ * sizeof(std::uint16_t);
    default: return runs_ * 2 * sizeof(std::uint32_t);
  }
}

void PackedIds::write(std::span<const std::uint32_t> ids, std::byte* to) {
  data_ = to;
  if (ids.empty()) return;
  if (coding_ == Coding::plain) {
    std::memcpy(to, ids.data(), ids.size_bytes());
  } else if (coding_ == Coding::offset16) {
    auto* offsets = reinterpret_cast<std::uint16_t*>(to);
    for (std::size_t k = 0; k < ids.size(); ++k) offsets[k] = static_cast<std::uint16_t>(ids[k] - base_);
  } else {
    auto* run = reinterpret_cast<std::uint32_t*>(to);
    std::size_t begin = 0;
    for (std::size_t k = 1; k <= ids.size(); ++k) {
      if (k < ids.size() && ids[k] == ids[begin]) continue;
      *run++ = ids[begin];
      *run++ = static_cast<std::uint32_t>(k - begin);
      begin = k;
    }
  }
}

void PackedIds::unpack(std::uint32_t* to) const {
  if (count_ == 0) return;
  if (coding_ == Coding::plain) {
    std::memcpy(to, data_, bytes());
  } else if (coding_ == Coding::offset16) {
    const auto* offsets = reinterpret_cast<const std::uint16_t*>(data_);
    for (std::size_t k = 0; k < count_; ++k) to[k] = base_ + offsets[k];
  } else {
    const auto* run = reinterpret_cast<const std::uint32_t*>(data_);
    for (std::size_t r = 0; r < runs_; ++r, run += 2) to = std::fill_n(to, run[1], run[0]);
  }
}

PackedIds PackedIds::seen(std::span<const std::uint32_t> ids) {
  PackedIds out;
  out.count_ = ids.size();
  out.data_ = reinterpret_cast<const std::byte*>(ids.data());
  return out;
}

void PackedIds::lower(std::uint32_t by) {
  if (coding_ == Coding::offset16) {
    base_ -= by;
    return;
  }
  // What write() was given is not const.
  auto* id = reinterpret_cast<std::uint32_t*>(const_cast<std::byte*>(data_));
  const std::size_t step = coding_ == Coding::runs ? 2 : 1, count = coding_ == Coding::runs ? runs_ : count_;
  for (std::size_t k = 0; k < count; ++k) id[k * step] -= by;
}

void pack_into(EntryBlock& block, std::span<const std::uint32_t> rows, std::span<const std::uint32_t> cols,
               std::span<const double> values, BlockArena& arena) {
  block.rows = PackedIds(rows);
  block.cols = PackedIds(cols);
  const auto aligned = [](std::size_t bytes) { return (bytes + 3) / 4 * 4; };
  BlockArena::Piece piece = arena.take(values.size_bytes() + aligned(block.rows.bytes()) + block.cols.bytes());
  if (!values.empty()) std::memcpy(piece.data, values.data(), values.size_bytes());
  block.values = reinterpret_cast<const double*>(piece.data);
  block.rows.write(rows, piece.data + values.size_bytes());
  block.cols.write(cols, piece.data + values.size_bytes() + aligned(block.rows.bytes()));
  block.memory = std::move(piece.owner);
}

namespace {

constexpr std::size_t entries_per_block = std::size_t{1} << 16;

/// Blocks over entries [0, count); fill(block, first) puts the ids in.
template <class Fill>
std::vector<EntryBlock> cut_into_blocks(std::uint64_t count, const double* values, Field field, const Fill& fill) {
  std::vector<EntryBlock> blocks;
  for (std::uint64_t first = 0; first < count; first += entries_per_block) {
    EntryBlock& block = blocks.emplace_back();
    block.index = blocks.size() - 1;
    block.entries = std::min<std::uint64_t>(entries_per_block, count - first);
    if (values != nullptr) block.values = values + first * values_per_entry(field);
    fill(block, first);
  }
  return blocks;
}

}  // namespace

void EntryCollector::add(std::uint32_t row, std::uint32_t col, double re, double im) {
  rows_.push_back(row);
  cols_.push_back(col);
  if (per_entry_ > 0) values_.push_back(re);
  if (per_entry_ > 1) values_.push_back(im);
  if (rows_.size() == entries_per_block) flush();
}

void EntryCollector::flush() {
  EntryBlock& block = blocks_.emplace_back();
  block.index = blocks_.size() - 1;
  block.entries = rows_.size();
  pack_into(block, rows_, cols_, values_, arena_);
  entries_ += rows_.size();
  rows_.clear();
  cols_.clear();
  values_.clear();
}

std::vector<EntryBlock> EntryCollector::take() {
  if (!rows_.empty()) flush();
  return std::move(blocks_);
}

EntryCollector nonzeros_of(const double* values, const MatrixHead& head, Field stored, bool by_columns) {
  EntryCollector entries(head.field);
  const std::size_t parts = stored == Field::complex ? 2 : 1;
  const std::uint64_t outer = by_columns ? head.cols : head.rows, inner = by_columns ? head.rows : head.cols;
  for (std::uint64_t o = 0; o < outer; ++o)
    for (std::uint64_t i = 0; i < inner; ++i, values += parts)
      if (values[0] != 0 || values[parts - 1] != 0)
        entries.add(static_cast<std::uint32_t>(by_columns ? i : o), static_cast<std::uint32_t>(by_columns ? o : i),
                    values[0], values[parts - 1]);
  return entries;
}

std::vector<EntryBlock> blocks_of_arrays(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> cols,
                                         const double* values, Field field) {
  return cut_into_blocks(rows.size(), values, field, [&](EntryBlock& block, std::uint64_t first) {
    block.rows = PackedIds::seen(rows.subspan(first, block.entries));
    block.cols = PackedIds::seen(cols.subspan(first, block.entries));
  });
}

std::vector<EntryBlock> blocks_of_compressed(std::span<const std::uint64_t> pointers,
                                             std::span<const std::uint32_t> ids, const double* values, Field field,
                                             bool by_columns) {
  BlockArena arena;
  std::vector<std::uint32_t> lines;  // the row of each entry, or its column
  std::size_t line = 0;
  return cut_into_blocks(ids.size(), values, field, [&](EntryBlock& block, std::uint64_t first) {
    lines.clear();
    for (std::uint64_t k = first; k < first + block.entries; ++k) {
      while (pointers[line + 1] <= k) ++line;
      lines.push_back(static_cast<std::uint32_t>(line));
    }
    PackedIds packed{lines};
    BlockArena::Piece piece = arena.take(packed.bytes());
    packed.write(lines, piece.data);
    block.memory = std::move(piece.owner);
    (by_columns ? block.cols : block.rows) = packed;
    (by_columns ? block.rows : block.cols) = PackedIds::seen(ids.subspan(first, block.entries));
  });
}

}  // namespace spress::io
