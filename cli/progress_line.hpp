// How far a command that measures row after row has come.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "cli/measuring.hpp"
#include "formats/core/clock.hpp"
#include "pipeline/measure/bench.hpp"
#include "reports/text/text_table.hpp"

namespace spress::cli {

/// One line on a terminal, rewritten in place. Each row takes about the same time, whatever its matrix.
class ProgressLine {
 public:
  explicit ProgressLine(std::size_t matrices) : matrices_(matrices), start_(Clock::now()) {}

  void begin(std::size_t matrix) { matrix_ = matrix; }
  void show(const pipeline::BenchProgress& p) const {
    const double seconds = seconds_since(start_);
    const double share = static_cast<double>(p.done) / static_cast<double>(p.total);
    const double done = static_cast<double>(matrix_) + share;
    const std::string left =
        done > 0 ? ", about " + clock_text(seconds * (static_cast<double>(matrices_) - done) / done) + " left" : "";
    write_progress(fmt::format("{}/{} in {}{}  {}: {}/{}  {}", matrix_, matrices_, clock_text(seconds), left,
                               reports::shown(p.matrix, 30), p.done, p.total, reports::shown(p.what, 30)));
  }
  static void clear() { write_stderr("\r\033[K"); }

 private:
  std::size_t matrices_, matrix_ = 0;
  Clock::time_point start_;
};

}  // namespace spress::cli
