#include "pipeline/stream/encode_stream.hpp"

#include <utility>

#include "encode/shared/footprint.hpp"
#include "formats/core/clock.hpp"
#include "formats/io/rows/write_rows.hpp"

namespace spress::pipeline {

Result<CompressResult> encode_stream(const std::string& input, const io::ReadOptions& reading,
                                     const CompressOptions& options, const StreamOptions& stream,
                                     const std::filesystem::path& path, std::string& note) {
  const auto start = Clock::now();
  io::RowStreamOptions share;
  share.bytes_per_row = share.bytes_per_square_row = io::write_rows_bytes_per_row;
  SPRESS_TRY(io::OutputFile file, io::create_rows_file(path));
  SPRESS_TRY(const auto rows, open_stream(input, reading, stream, share));
  note = rows->info().note;
  SPRESS_TRY(const auto written,
             io::write_rows(*rows, container_info(rows->info(), options), std::move(file), file_options(options)));
  CompressResult result;
  result.name = rows->info().name;
  result.format = "matrix";
  result.ordering = options.ordering;
  result.nnz = written.matrix.nnz;
  result.csr_bytes = result.encoded_bytes = csr_bytes(written.matrix);
  result.file_bytes = written.file_bytes;
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace spress::pipeline
