// The record of a file that is larger than memory, in one pass over its rows.
#pragma once

#include <string>

#include "formats/core/result.hpp"
#include "pipeline/collection/analyze.hpp"
#include "reports/records/records.hpp"

namespace spress::pipeline {

/// All statistics in the original order, equal to those of analyze_matrix, and the exact bytes of every format that has
/// a SizeStream. The footprint of each other format says why it has no size, and so does each other ordering; there is
/// no `choice`. note: what a user has to know about the reading.
/// Memory: options.stream->memory, of which EnvelopeCounter::bytes_per_row are for each row of a square matrix.
/// Errors: those of io::open_rows and its panels; unsupported for a generated matrix; too_large where the rows alone
/// take more than three quarters of the memory; unwritable where a scratch file cannot be written. Throws
/// std::bad_alloc. Requires: options.stream; check_options(options) holds.
[[nodiscard]] Result<reports::AnalyzeRecord> analyze_stream(const std::string& input, const AnalyzeOptions& options,
                                                            std::string& note);

}  // namespace spress::pipeline
