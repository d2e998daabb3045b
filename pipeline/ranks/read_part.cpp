#include "pipeline/ranks/read_part.hpp"

#include <new>
#include <span>
#include <utility>

#include "formats/io/matrix_file/matrix_file.hpp"
#include "pipeline/source.hpp"

namespace spress::pipeline {
namespace {

/// Nothing where all of the input is to be read.
Result<std::optional<RankRows>> rows_of_file(const RankPlace& place, const std::string& input, int threads) {
  if (!is_container_file(input)) return std::optional<RankRows>();
  SPRESS_TRY(const auto file, io::InputFile::open(input));
  SPRESS_TRY(auto read, io::read_part(file, static_cast<std::uint64_t>(place.rank),
                                      static_cast<std::uint64_t>(place.size), threads));
  if (!read) return std::optional<RankRows>();
  RankRows out;
  out.matrix = {std::move(read->info), std::move(read->csr)};
  out.matrix.info.path = input;
  out.rows.first = std::move(read->first_row);
  out.nnz = read->nnz;
  out.bytes_read = read->bytes_read;
  return std::optional(std::move(out));
}

std::uint64_t bytes_of_file(const std::string& input) {
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(input, unknown);
  return unknown ? 0 : bytes;
}

Result<RankRows> rows_of_all(const RankPlace& place, const std::string& input, const io::ReadOptions& reading,
                             Cut cut) {
  RankRows out;
  SPRESS_TRY(out.matrix, load(input, reading));
  out.bytes_read = bytes_of_file(input);
  Csr<Owned>& csr = out.matrix.csr;
  if (cut == Cut::partition) {
    SPRESS_TRY(auto to, reorder::compute_ordering("partition", view_of(csr)));
    if (!to.identity()) csr = reorder::permute(view_of(csr), to);
    out.order = std::move(to.rows);
  }
  out.nnz = csr.nnz;
  out.rows = rows_by_entries(view_of(csr), place.size);
  const io::RowSpan own = {out.rows.begin_of(place.rank), out.rows.end_of(place.rank)};
  SPRESS_TRY(csr, io::rows_of(view_of(csr), std::span(&own, 1)));
  return out;
}

Result<RankRows> own_rows(const RankPlace& place, const std::string& input, const io::ReadOptions& reading, Cut cut) {
  try {
    if (cut == Cut::entries) {
      SPRESS_TRY(auto rows, rows_of_file(place, input, reading.threads));
      if (rows) return *std::move(rows);
    }
    return rows_of_all(place, input, reading, cut);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::too_large, "not enough memory for this matrix", input, 0};
  }
}

/// The things that all ranks must have alike.
std::uint64_t fingerprint(const RankRows& rows) {
  std::uint64_t hash = rows.nnz;
  const auto join = [&](std::uint64_t number) { hash = (hash ^ number) * 0x9E3779B97F4A7C15u ^ hash >> 29; };
  join(rows.matrix.csr.cols);
  for (const std::uint64_t first : rows.rows.first) join(first);
  for (const std::uint32_t old : rows.order) join(old);
  return hash;
}

}  // namespace

Result<RankRows> read_rank_rows(const Ranks& ranks, const std::string& input, const io::ReadOptions& reading, Cut cut) {
  if (ranks.several()) SPRESS_CHECK(check_input_of_ranks(input));
  auto rows = own_rows(ranks.place(), input, reading, cut);
  if (!rows.ok() && rows.error().file.empty()) rows.error().file = input;
  SPRESS_TRY(auto agreed, ranks.agree(std::move(rows)));
  SPRESS_CHECK(ranks.check_same(fingerprint(agreed), "matrix"));
  return agreed;
}

MatrixPart part_of(const Ranks& ranks, const RankRows& rows) {
  const auto& csr = rows.matrix.csr;
  const bool square = rows.rows.total() == csr.cols;
  return {ranks, view_of(csr), rows.rows, square ? rows.rows : even_cut(csr.cols, ranks.size())};
}

}  // namespace spress::pipeline
