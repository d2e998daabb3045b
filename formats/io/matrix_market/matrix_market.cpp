#include "formats/io/matrix_market/matrix_market.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "formats/core/threads.hpp"
#include "formats/io/matrix_market/line_blocks.hpp"
#include "formats/io/matrix_market/mm_assemble.hpp"
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

bool is_rutherford_boeing(const std::filesystem::path& path) {
  return std::filesystem::path(without_compression(path.filename().string())).extension() == ".rb";
}

Result<Matrix> read_text(MatrixInput& input, const std::filesystem::path& path, int threads) {
  LineReader lines(input.stream());
  SPRESS_TRY(MmHeader header, read_mm_header(lines));
  threads = useful_threads(header, threads);
  try {
    SPRESS_TRY(auto blocks, read_body(input, lines, header, threads));
    SPRESS_TRY(Assembled assembled, assemble(header, blocks, lines.lines(), threads));
    Matrix matrix;
    matrix.csr = std::move(assembled.csr);
    matrix.info.name = matrix_name(path);
    matrix.info.path = path.string();
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

Result<Matrix> read(const std::shared_ptr<InputFile>& file, int threads) {
  if (is_rutherford_boeing(file->path()))
    return Error{ErrorCode::unsupported,
                 "is a Rutherford-Boeing file, which is not read; convert it to Matrix Market (.mtx)",
                 {},
                 0};
  MatrixInput input(file);
  for (;;) {
    SPRESS_CHECK(input.open());
    auto matrix = read_text(input, file->path(), threads);
    SPRESS_TRY(const bool settled, input.settle(matrix.ok()));
    if (!settled) continue;
    if (matrix.ok()) matrix->info.note = input.note();
    return matrix;
  }
}

}  // namespace

Result<Matrix> read_matrix_market(const std::shared_ptr<InputFile>& file, const ReadOptions& options) {
  Result<Matrix> matrix = Error{ErrorCode::too_large, "memory ran out while it was opened", {}, 0};
  try {
    matrix = read(file, thread_count(options.threads));
  } catch (const std::bad_alloc&) {
  }
  if (auto same = file->unchanged(); !same.ok()) matrix = std::move(same).error();
  if (!matrix.ok()) matrix.error().file = file->path().string();
  return matrix;
}

Result<Matrix> read_matrix_market(const std::filesystem::path& path, const ReadOptions& options) {
  auto file = InputFile::open(path);
  if (file.ok()) return read_matrix_market(*file, options);
  file.error().file = path.string();
  return std::move(file).error();
}

}  // namespace spress::io
