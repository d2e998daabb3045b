#include "formats/io/rows/matrix_market_rows.hpp"

#include <complex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/threads.hpp"
#include "formats/io/entries/array_walk.hpp"
#include "formats/io/entries/line_blocks.hpp"
#include "formats/io/matrix_market/mm_body.hpp"
#include "formats/io/rows/sorted_rows.hpp"

namespace spress::io {
namespace {

/// Bytes that a thread takes at most for what it parses and groups, about.
constexpr std::uint64_t bytes_of_a_thread = std::uint64_t{6} << 20;

MatrixHead expanded(const MmHeader& header) {
  MatrixHead head = header;
  if (header.symmetry != Symmetry::general) head.entries *= 2;
  return head;
}

/// Sorts the blocks of a text.
class TextSorter {
 public:
  TextSorter(const MmHeader& header, EntrySorter& sorter, int threads)
      : header_(header), sorter_(sorter), grouped_(static_cast<std::size_t>(threads)) {}

  [[nodiscard]] BlockTaker taker() {
    if (header_.array) {
      array_values_.resize(grouped_.size());
      return {[this](std::size_t t, const BlockScratch& scratch, const EntryBlock&) { array_values_[t] = &scratch; },
              [this](std::size_t t, const EntryBlock& block, const BlockCheck& check) {
                return take_array(t, block, check);
              }};
    }
    return {[this](std::size_t t, const BlockScratch& scratch, const EntryBlock& block) {
              with_types([&]<class V, Symmetry S>(V) { group<V, S>(scratch, block, grouped_[t]); });
            },
            [this](std::size_t t, const EntryBlock&, const BlockCheck&) { return sorter_.add(grouped_[t]); }};
  }

  /// The diagonal of a hermitian array that is not real, which the text is refused for once it was read to its end.
  [[nodiscard]] Status unreal_diagonal() const {
    if (unreal_line_ == 0) return Ok{};
    return Error{ErrorCode::syntax,
                 "the diagonal of a hermitian matrix is real; this entry's imaginary part is not 0",
                 {},
                 unreal_line_};
  }

 private:
  template <class Use>
  void with_types(const Use& use) const {
    with_symmetry(header_.symmetry, [&]<Symmetry S>() {
      with_value_type(header_.field, [&]<class V>(V value) { use.template operator()<V, S>(value); });
    });
  }

  template <class V, Symmetry S>
  void group(const BlockScratch& scratch, const EntryBlock& block, GroupedEntries& out) const {
    const std::uint32_t *rows = scratch.rows.data(), *cols = scratch.cols.data();
    [[maybe_unused]] const V* values = reinterpret_cast<const V*>(scratch.values.data());
    [[maybe_unused]] const MirrorValue<S> mirror(header_.field);
    sorter_.group<V>(
        [&](const auto& use) {
          for (std::uint64_t k = 0; k < block.entries; ++k) {
            V value{};
            if constexpr (!std::is_same_v<V, NoValue>) value = values[k];
            use(rows[k], cols[k], value);
            if constexpr (S != Symmetry::general)
              if (cols[k] != rows[k]) use(cols[k], rows[k], mirror(value));
          }
        },
        out);
  }

  /// The places of an array's entries follow from the entries before, so the block waits for its turn to be grouped.
  Status take_array(std::size_t t, const EntryBlock& block, const BlockCheck& check) {
    const std::uint64_t first = check.entries() - block.entries;
    with_types([&]<class V, Symmetry S>(V) {
      if constexpr (!std::is_same_v<V, NoValue>) group_array<V, S>(*array_values_[t], block, first, grouped_[t]);
    });
    if (header_.symmetry == Symmetry::hermitian && unreal_line_ == 0)
      walk_block(header_, block, first, [&](std::uint64_t row, std::uint64_t col, std::uint64_t k) {
        if (row == col && unreal_line_ == 0 && array_values_[t]->values[2 * k + 1] != 0)
          unreal_line_ = check.lines() - block.lines + line_of_entry(block, k + 1);
      });
    return sorter_.add(grouped_[t]);
  }

  template <class V, Symmetry S>
  void group_array(const BlockScratch& scratch, const EntryBlock& block, std::uint64_t first,
                   GroupedEntries& out) const {
    const V* values = reinterpret_cast<const V*>(scratch.values.data());
    const MirrorValue<S> mirror(header_.field);
    sorter_.group<V>(
        [&](const auto& use) {
          walk_block(header_, block, first, [&](std::uint64_t row, std::uint64_t col, std::uint64_t k) {
            use(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(col), values[k]);
            if (S != Symmetry::general && row != col)
              use(static_cast<std::uint32_t>(col), static_cast<std::uint32_t>(row), mirror(values[k]));
          });
        },
        out);
  }

  const MmHeader& header_;
  EntrySorter& sorter_;
  std::vector<GroupedEntries> grouped_;            // by thread
  std::vector<const BlockScratch*> array_values_;  // by thread
  std::uint64_t unreal_line_ = 0;
};

}  // namespace

Result<std::unique_ptr<RowStream>> matrix_market_rows(MatrixInput& input, const ReadOptions& reading,
                                                      const RowStreamOptions& options) {
  LineReader lines(input.stream());
  SPRESS_TRY(MmHeader header, read_mm_header(lines));
  SPRESS_TRY(const auto shaped, options_for_shape(header.rows, header.cols, options));
  const int threads = useful_threads(header, threads_in_memory(reading.threads, shaped.memory / 4, bytes_of_a_thread));
  MatrixInfo info;
  info.field = header.field;
  info.symmetry = header.symmetry;
  info.stored_entries = header.entries;
  info.comments = std::move(header.comments);
  auto rows = std::make_unique<SortedRows>(std::move(info), expanded(header), reading, shaped);
  const auto source = input.text_blocks(lines.offset(), lines.rest());
  TextSorter sorter(header, rows->sorter(), threads);
  BlockCheck check(mm_contents(header), lines.lines());
  SPRESS_CHECK(pass_blocks(*source, mm_parser(header), threads, sorter.taker(), check));
  SPRESS_CHECK(check_mm_end(header, check.entries(), check.lines()));
  SPRESS_CHECK(sorter.unreal_diagonal());
  SPRESS_CHECK(rows->sorter().finish());
  return std::unique_ptr<RowStream>(std::move(rows));
}

}  // namespace spress::io
