// The rows of a file whose entries were sorted. Private to formats/io/rows.
#pragma once

#include <utility>

#include "formats/io/rows/entry_sorter.hpp"
#include "formats/io/rows/row_stream.hpp"

namespace spress::io {

class SortedRows final : public RowStream {
 public:
  /// head, options: as EntrySorter takes them. info.duplicates: merged before the file was written.
  SortedRows(MatrixInfo info, const MatrixHead& head, const ReadOptions& reading, const RowStreamOptions& options)
      : sorter_(head, options), threads_(reading.threads) {
    info_ = std::move(info);
    duplicates_before_ = info_.duplicates;
    rows_ = head.rows;
    cols_ = head.cols;
    most_entries_ = head.entries;
    type_ = head.field == Field::pattern   ? ValueType::none
            : head.field == Field::complex ? ValueType::c128
                                           : ValueType::f64;
    memory_ = options.memory;
    mirrored_ = info_.symmetry != Symmetry::general;
  }

  [[nodiscard]] EntrySorter& sorter() { return sorter_; }
  void set_mirrored(bool mirrored) { mirrored_ = mirrored; }

  Result<bool> next(RowPanel& panel) override {
    SPRESS_TRY(const bool more, sorter_.next(panel, threads_));
    info_.duplicates = duplicates_before_ + sorter_.duplicates();
    return more;
  }
  void seek(std::uint64_t row) override { sorter_.seek(row); }

 private:
  EntrySorter sorter_;
  int threads_;
  std::uint64_t duplicates_before_ = 0;
};

}  // namespace spress::io
