// Entries in any order to panels of rows: an external sort by distribution. Entries are dealt to ranges of rows in a
// scratch file while they are read, and each range is then sorted in memory. Private to formats/io/rows.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <type_traits>
#include <vector>

#include "formats/core/array.hpp"
#include "formats/core/result.hpp"
#include "formats/csr/row_panel.hpp"
#include "formats/io/entries/entries.hpp"
#include "formats/io/entries/symmetric_values.hpp"
#include "formats/io/rows/part_store.hpp"
#include "formats/io/rows/row_stream.hpp"

namespace spress::io {

/// Entries of one block, grouped by the part they go to, in their order within each.
struct GroupedEntries {
  std::vector<std::uint32_t> ends;  ///< by part: the number of records up to and with it
  HostArray<std::uint8_t> records;
};

class EntrySorter {
 public:
  /// head: of the matrix; its entries are those after symmetric expansion, and its symmetry counts no more.
  EntrySorter(const MatrixHead& head, const RowStreamOptions& options);

  /// Groups a block: walk(use) calls use(row, col, value) for each entry, and does the same each time it is called.
  /// V: NoValue, double or std::complex<double>, as the field says. May be called by several threads.
  /// Requires: fewer than 2^32 entries. Throws std::bad_alloc.
  template <class V, class Walk>
  void group(const Walk& walk, GroupedEntries& out) const {
    out.ends.assign(parts_, 0);
    walk([&](std::uint32_t row, std::uint32_t, V) { ++out.ends[row >> shift_]; });
    std::uint32_t begin = 0;
    for (std::uint32_t& end : out.ends) begin += std::exchange(end, begin);
    const std::size_t bytes = begin * record_bytes_;
    if (out.records.size() < bytes) out.records = HostArray<std::uint8_t>(bytes + bytes / 4);
    walk([&](std::uint32_t row, std::uint32_t col, [[maybe_unused]] V value) {
      std::uint8_t* at = out.records.data() + std::size_t{out.ends[row >> shift_]++} * record_bytes_;
      std::memcpy(at, &row, 4);
      std::memcpy(at + 4, &col, 4);
      if constexpr (!std::is_same_v<V, NoValue>) std::memcpy(at + 8, &value, sizeof value);
    });
  }

  /// Adds a block. Blocks come in the order of the file. Errors: unwritable. Throws std::bad_alloc.
  [[nodiscard]] Status add(const GroupedEntries& block);
  /// Ends the adding. Errors: unwritable.
  [[nodiscard]] Status finish() { return store_.flush(); }

  /// As RowStream::next, once all is added.
  [[nodiscard]] Result<bool> next(RowPanel& panel, int threads);
  /// As RowStream::seek.
  void seek(std::uint64_t row);
  /// Entries that were merged into another in the panels since the last seek.
  [[nodiscard]] std::uint64_t duplicates() const { return duplicates_; }

 private:
  struct Range {
    std::uint64_t first, last;  // rows
    std::size_t part;
  };
  [[nodiscard]] std::uint64_t cost_of(const Range& range) const;
  [[nodiscard]] Status split(std::size_t range);
  [[nodiscard]] Status load(std::size_t first, std::size_t last);

  MatrixHead head_;
  std::size_t record_bytes_;
  std::uint64_t panel_bytes_;
  std::uint64_t kept_;  // RowStreamOptions::kept
  int shift_ = 0;
  std::size_t parts_ = 0;  // into which blocks are grouped
  PartStore store_;
  std::vector<Range> ranges_;  // in the order of rows
  std::size_t next_ = 0;
  std::uint64_t duplicates_ = 0;
  HostArray<std::uint8_t> piece_;
  HostArray<std::uint32_t> rows_, cols_;  // of a panel in the order of the file
  HostArray<double> values_;
  Csr<Owned> sorted_;
};

}  // namespace spress::io
