// One matrix in, one record out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/core/matrix.hpp"
#include "formats/core/params.hpp"
#include "formats/core/result.hpp"
#include "formats/io/readers/read_options.hpp"
#include "pipeline/choose.hpp"
#include "pipeline/stream/open_stream.hpp"
#include "reports/records/records.hpp"

namespace spress::pipeline {

struct AnalyzeOptions {
  std::vector<std::string> orderings = {"none", "rcm"};
  std::vector<Spec> formats;                    ///< empty: every format of the list
  int threads = 0;                              ///< for one matrix; 0: OpenMP's default
  std::uint32_t spy_size = 256;                 ///< cells per side of the coarse picture, 0 for none
  Goal goal = Goal::memory;                     ///< of the choice among orderings, formats and value stores
  std::optional<Calibration> calibration = {};  ///< that it predicts by; needed for all goals but memory
  io::ReadOptions reading = {};                 ///< of the matrix; `threads` above counts
  std::optional<StreamOptions> stream = {};     ///< set: for pipeline/stream/analyze_stream.hpp

  /// The formats, and CSR among them as the baseline whether asked for or not.
  [[nodiscard]] std::vector<Spec> measured_formats() const;
  /// Everything that shapes a record, as one line.
  [[nodiscard]] std::string text() const;
};

/// Errors: usage, naming the unknown ordering, format or parameter and the choices.
[[nodiscard]] Status check_options(const AnalyzeOptions& options);

/// All statistics of one matrix, in each ordering. An ordering that does not apply says so in its status.
/// Requires: check_options(options) holds.
[[nodiscard]] reports::AnalyzeRecord analyze_matrix(const MatrixInfo& info, const Csr<Viewed>& a,
                                                    const AnalyzeOptions& options);
[[nodiscard]] inline reports::AnalyzeRecord analyze_matrix(const Matrix& matrix, const AnalyzeOptions& options) {
  return analyze_matrix(matrix.info, view_of(matrix.csr), options);
}

/// The record of a matrix that could not be read.
[[nodiscard]] reports::AnalyzeRecord error_record(const std::string& input, const std::string& message);

}  // namespace spress::pipeline
