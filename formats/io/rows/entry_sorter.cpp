#include "formats/io/rows/entry_sorter.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "formats/core/threads.hpp"
#include "formats/io/entries/assemble.hpp"

namespace spress::io {
namespace {

constexpr std::uint64_t row_bytes = 8;  // what a row of a panel takes beside its entries

/// Bytes of the entries of a panel, before they are sorted. The sorted panel takes about as much, and as much again
/// where duplicates are taken out of it.
std::uint64_t panel_bytes_of(std::uint64_t memory) { return std::max<std::uint64_t>(memory / 8, 4096); }

/// The largest buffer: longer writes are no faster.
constexpr std::uint64_t most_buffer = std::uint64_t{256} << 10, least_buffer = 4096;

/// Parts that the memory for buffers, an eighth of all, allows.
std::uint64_t most_parts(std::uint64_t memory) {
  return std::clamp<std::uint64_t>(memory / 8 / (std::uint64_t{64} << 10), 16, 4096);
}

std::uint64_t total_bytes(const MatrixHead& head, std::size_t record_bytes) {
  return head.entries * record_bytes + head.rows * row_bytes;
}

/// Rows of a part as a power of two. Parts are a quarter of a panel on the average, so that panels, which are made of
/// neighbouring parts, come out even.
int shift_for(const MatrixHead& head, std::size_t record_bytes, std::uint64_t memory) {
  const std::uint64_t wanted =
      std::clamp<std::uint64_t>(4 * total_bytes(head, record_bytes) / panel_bytes_of(memory), 1, most_parts(memory));
  return std::countr_zero(std::bit_ceil(std::max(panel_unit, (head.rows + wanted - 1) / wanted)));
}

std::size_t record_bytes_of(Field field) { return 8 + 8 * values_per_entry(field); }

std::size_t buffer_bytes_for(std::uint64_t memory, std::size_t parts) {
  return std::clamp<std::uint64_t>(memory / 8 / std::max<std::size_t>(parts, 1), least_buffer, most_buffer);
}

std::size_t parts_for(std::uint64_t rows, int shift) { return rows == 0 ? 0 : ((rows - 1) >> shift) + 1; }

}  // namespace

EntrySorter::EntrySorter(const MatrixHead& head, const RowStreamOptions& options)
    : head_(head),
      record_bytes_(record_bytes_of(head.field)),
      panel_bytes_(panel_bytes_of(options.memory)),
      kept_(options.kept),
      shift_(shift_for(head, record_bytes_, options.memory)),
      parts_(parts_for(head.rows, shift_)),
      store_(options.scratch, buffer_bytes_for(options.memory, parts_), record_bytes_) {
  head_.symmetry = Symmetry::general;
  store_.add_parts(parts_);
  for (std::size_t p = 0; p < parts_; ++p)
    ranges_.push_back({std::uint64_t{p} << shift_, std::min(head.rows, std::uint64_t{p + 1} << shift_), p});
}

Status EntrySorter::add(const GroupedEntries& block) {
  std::size_t begin = 0;
  for (std::size_t p = 0; p < parts_; ++p) {
    const std::size_t end = block.ends[p];
    SPRESS_CHECK(store_.append(p, block.records.data() + begin * record_bytes_, (end - begin) * record_bytes_));
    begin = end;
  }
  return Ok{};
}

std::uint64_t EntrySorter::cost_of(const Range& range) const {
  return store_.bytes(range.part) + (range.last - range.first) * row_bytes;
}

/// Deals a range that is longer than a panel to smaller ones.
Status EntrySorter::split(std::size_t range) {
  const Range whole = ranges_[range];
  const std::uint64_t wanted =
      std::min<std::uint64_t>(2 * cost_of(whole) / panel_bytes_ + 1, std::max<std::size_t>(parts_, 16));
  const std::uint64_t rows = std::bit_ceil(std::max(panel_unit, (whole.last - whole.first + wanted - 1) / wanted));
  const int shift = std::countr_zero(rows);
  const std::size_t count = parts_for(whole.last - whole.first, shift), first_part = store_.add_parts(count);
  const auto deal = [&](const std::uint8_t* records, std::size_t n) {
    Status dealt = Ok{};
    for (const std::uint8_t* at = records; at != records + n && dealt.ok(); at += record_bytes_) {
      std::uint32_t row = 0;
      std::memcpy(&row, at, sizeof row);
      dealt = store_.append(first_part + ((row - whole.first) >> shift), at, record_bytes_);
    }
    return dealt;
  };
  SPRESS_CHECK(store_.for_each_piece(whole.part, piece_, deal));
  SPRESS_CHECK(store_.flush());
  store_.drop(whole.part);
  std::vector<Range> smaller;
  for (std::size_t p = 0; p < count; ++p)
    smaller.push_back({whole.first + p * rows, std::min(whole.last, whole.first + (p + 1) * rows), first_part + p});
  const auto at = ranges_.erase(ranges_.begin() + static_cast<std::ptrdiff_t>(range));
  ranges_.insert(at, smaller.begin(), smaller.end());
  return Ok{};
}

/// Reads ranges [first, last), rows counted from the first of them.
Status EntrySorter::load(std::size_t first, std::size_t last) {
  const std::uint64_t first_row = ranges_[first].first;
  const std::size_t per_entry = values_per_entry(head_.field);
  std::uint64_t bytes = 0, k = 0;
  for (std::size_t r = first; r < last; ++r) bytes += store_.bytes(ranges_[r].part);
  const std::uint64_t entries = bytes / record_bytes_;
  if (rows_.size() < entries) {
    rows_ = {}, cols_ = {}, values_ = {};
    rows_ = HostArray<std::uint32_t>(entries);
    cols_ = HostArray<std::uint32_t>(entries);
    values_ = HostArray<double>(entries * per_entry);
  }
  for (std::size_t r = first; r < last; ++r)
    SPRESS_CHECK(
        store_.for_each_piece(ranges_[r].part, piece_, [&](const std::uint8_t* records, std::size_t n) -> Status {
          for (const std::uint8_t* at = records; at != records + n; at += record_bytes_, ++k) {
            std::uint32_t row = 0;
            std::memcpy(&row, at, 4);
            rows_[k] = static_cast<std::uint32_t>(row - first_row);
            std::memcpy(&cols_[k], at + 4, 4);
            if (per_entry != 0) std::memcpy(values_.data() + k * per_entry, at + 8, 8 * per_entry);
          }
          return Ok{};
        }));
  head_.entries = entries;
  head_.first_row = first_row;
  head_.rows = ranges_[last - 1].last - first_row;
  return Ok{};
}

void EntrySorter::seek(std::uint64_t row) {
  const auto at = std::partition_point(ranges_.begin(), ranges_.end(), [&](const Range& r) { return r.last <= row; });
  next_ = static_cast<std::size_t>(at - ranges_.begin());
  duplicates_ = 0;
}

Result<bool> EntrySorter::next(RowPanel& panel, int threads) {
  sorted_ = {};
  if (next_ == ranges_.size()) return false;
  while (cost_of(ranges_[next_]) > panel_bytes_ && ranges_[next_].last - ranges_[next_].first > panel_unit)
    SPRESS_CHECK(split(next_));
  std::size_t last = next_ + 1;
  std::uint64_t cost = cost_of(ranges_[next_]);
  // Rows this long take more than their share of the memory: up to three times their cost while they are sorted.
  if (cost > 2 * panel_bytes_)
    return Error{ErrorCode::too_large,
                 "rows " + std::to_string(ranges_[next_].first + 1) + " to " + std::to_string(ranges_[next_].last) +
                     " hold " + std::to_string(store_.bytes(ranges_[next_].part) / record_bytes_) +
                     " entries, too many for the memory; " + memory_option_for(4 * cost + kept_) + " lets them in"};
  while (last < ranges_.size() && cost + cost_of(ranges_[last]) <= panel_bytes_) cost += cost_of(ranges_[last++]);
  SPRESS_CHECK(load(next_, last));
  auto blocks = blocks_of_arrays({rows_.data(), head_.entries}, {cols_.data(), head_.entries},
                                 head_.field == Field::pattern ? nullptr : values_.data(), head_.field);
  SPRESS_TRY(Assembled assembled, assemble_coordinate(head_, blocks, thread_count(threads)));
  sorted_ = std::move(assembled.csr);
  duplicates_ += assembled.duplicates;
  next_ = last;
  panel = {head_.first_row, view_of(sorted_)};
  return true;
}

}  // namespace spress::io
