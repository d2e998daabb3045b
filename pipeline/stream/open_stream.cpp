#include "pipeline/stream/open_stream.hpp"

#include <algorithm>

#include "pipeline/source.hpp"

namespace spress::pipeline {

Result<std::unique_ptr<io::RowStream>> open_stream(const std::string& input, const io::ReadOptions& reading,
                                                   const StreamOptions& options, io::RowStreamOptions rows) {
  if (is_generated(input))
    return Error{ErrorCode::unsupported,
                 "a generated matrix is made in memory, so --stream gains nothing; write it with 'spress generate' and "
                 "stream the file, or leave --stream out",
                 input, 0};
  rows.memory = options.memory - std::min(io::most_for_program, options.memory / 4);
  rows.scratch = options.scratch;
  return io::open_rows(input, reading, rows);
}

}  // namespace spress::pipeline
