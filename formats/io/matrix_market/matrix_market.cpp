#include "formats/io/matrix_market/matrix_market.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "formats/core/threads.hpp"
#include "formats/io/entries/assemble.hpp"
#include "formats/io/entries/line_blocks.hpp"
#include "formats/io/matrix_market/mm_body.hpp"
#include "formats/io/matrix_market/mm_header.hpp"
#include "formats/io/readers/matrix_input.hpp"

namespace spress::io {
namespace {

constexpr std::size_t block_bytes = std::size_t{256} << 10;

Result<std::vector<EntryBlock>> read_body(MatrixInput& input, const LineReader& lines, const MmHeader& header,
                                          int threads) {
  const auto file = input.plain();
  const auto source = file != nullptr ? file_blocks(file, lines.offset(), block_bytes)
                                      : stream_blocks(input.stream(), std::string(lines.rest()), block_bytes);
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

/// Few entries are not worth a second thread.
int useful_threads(const MmHeader& header, int threads) {
  constexpr std::uint64_t worth_a_thread = 1u << 14;
  return static_cast<int>(std::min(static_cast<std::uint64_t>(threads), 1 + header.entries / worth_a_thread));
}

Error out_of_memory(const MmHeader& header) {
  const std::uint64_t value_bytes = header.field == Field::pattern ? 0 : header.field == Field::complex ? 16 : 8;
  const double expanded = static_cast<double>(header.entries) * (header.symmetry == Symmetry::general ? 1 : 2);
  const double bytes = expanded * static_cast<double>(4 + value_bytes) + 4.0 * static_cast<double>(header.rows + 1);
  return {ErrorCode::too_large,
          "a matrix of " + std::to_string(header.rows) + " rows and " + std::to_string(header.entries) +
              " entries needs about " + std::to_string(static_cast<std::uint64_t>(bytes)) +
              " bytes in memory, more than there are",
          {},
          0};
}

}  // namespace

Result<Matrix> read_matrix_market_text(MatrixInput& input, const ReadOptions& options) {
  LineReader lines(input.stream());
  SPRESS_TRY(MmHeader header, read_mm_header(lines));
  const int threads = useful_threads(header, thread_count(options.threads));
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
