#include "formats/io/matrix_market/matrix_market.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "formats/core/memory.hpp"
#include "formats/io/entries/assemble.hpp"
#include "formats/io/entries/line_blocks.hpp"
#include "formats/io/matrix_market/mm_body.hpp"
#include "formats/io/matrix_market/mm_header.hpp"
#include "formats/io/readers/matrix_input.hpp"

namespace spress::io {
namespace {

Result<std::vector<EntryBlock>> read_body(MatrixInput& input, const LineReader& lines, const MmHeader& header,
                                          int threads) {
  const auto source = input.text_blocks(lines.offset(), lines.rest());
  return read_mm_body(*source, header, lines.lines(), threads);
}

Result<Assembled> assemble(const MmHeader& header, std::vector<EntryBlock>& blocks, std::uint64_t lines_before,
                           int threads) {
  if (!header.array) return assemble_coordinate(header, blocks, threads);
  if (header.symmetry == Symmetry::hermitian) {
    const std::uint64_t wrong = first_unreal_diagonal(header, blocks);
    if (wrong < header.entries)
      return Error{ErrorCode::syntax,
                   "the diagonal of a hermitian matrix is real; this entry's imaginary part is not 0",
                   {},
                   line_of_entry(blocks, wrong, lines_before)};
  }
  return assemble_array(header, blocks, threads);
}

/// Bytes of the matrix in memory, at least where no entry stands twice.
std::uint64_t bytes_in_memory(const MmHeader& header) {
  const std::uint64_t value_bytes = 8 * values_per_entry(header.field);
  std::uint64_t entries = header.entries;
  if (header.symmetry != Symmetry::general) entries += entries - std::min(entries, header.rows);
  return entries * (4 + value_bytes) + 4 * (header.rows + 1);
}

Error out_of_memory(const MmHeader& header) {
  return {ErrorCode::too_large,
          "a matrix of " + std::to_string(header.rows) + " rows and " + std::to_string(header.entries) +
              " entries needs at least " + std::to_string(bytes_in_memory(header)) +
              " bytes in memory, more than there are; with --stream, analyze and encode read it by rows"};
}

/// Refuses a matrix before it takes all the memory there is. Only where the text may hold as many entries as its header
/// says: what a shorter one lacks is found sooner than memory ends.
Status check_memory(const MmHeader& header, const MatrixInput& input) {
  constexpr std::uint64_t shortest_line = 2;
  const auto& file = input.plain();
  if (file == nullptr || header.entries > file->size() / shortest_line) return Ok{};
  return bytes_in_memory(header) <= available_memory() ? Status(Ok{}) : out_of_memory(header);
}

}  // namespace

Result<Matrix> read_matrix_market_text(MatrixInput& input, const ReadOptions& options) {
  LineReader lines(input.stream());
  SPRESS_TRY(MmHeader header, read_mm_header(lines));
  SPRESS_CHECK(check_memory(header, input));
  const int threads = useful_threads(header, options.threads);
  try {
    SPRESS_TRY(auto blocks, read_body(input, lines, header, threads));
    SPRESS_TRY(Assembled assembled, assemble(header, blocks, lines.lines(), threads));
    Matrix matrix;
    matrix.csr = std::move(assembled.csr);
    matrix.info.field = header.field;
    matrix.info.symmetry = header.symmetry;
    matrix.info.stored_entries = header.entries;
    matrix.info.duplicates = assembled.duplicates;
    matrix.info.comments = std::move(header.comments);
    return matrix;
  } catch (const std::bad_alloc&) {
    return out_of_memory(header);
  }
}

}  // namespace spress::io
