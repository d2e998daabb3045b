#include "pipeline/stream/analyze_stream.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "analyze/value_stream.hpp"
#include "formats/core/clock.hpp"
#include "formats/core/threads.hpp"
#include "formats/csr/mirror_sums.hpp"
#include "pipeline/collection/analysis_record.hpp"
#include "pipeline/stream/open_stream.hpp"
#include "pipeline/stream/scratch_values.hpp"
#include "pipeline/version.hpp"

namespace spress::pipeline {
namespace {

/// Everything that is counted in the pass over the panels.
class Statistics {
 public:
  Statistics(const io::RowStream& rows, const AnalyzeOptions& options, FootprintStream sizes, std::uint64_t memory)
      : options_(options),
        counting_threads_(threads_in_memory(options.threads, memory / 2, bytes_of_a_table)),
        square_(rows.rows() == rows.cols()),
        mirrored_(rows.mirrored()),
        whole_{rows.rows(), rows.cols(), 0, rows.type()},
        envelope_(rows.rows(), rows.cols()),
        picture_(rows.rows(), rows.cols(), options.spy_size),
        sizes_(std::move(sizes)),
        spill_(rows.most_entries(), size_of(rows.type()), memory / 16, options.stream->scratch),
        values_(rows.type(), spill_) {}

  [[nodiscard]] Status add(const RowPanel& panel) {
    const Csr<Viewed>& a = panel.csr;
    whole_.nnz += a.nnz;
    lengths_.add(a);
    envelope_.add(panel);
    analyze::add_classes(classes_, analyze::index_classes(a, options_.threads, panel.first_row));
    blocks_ += analyze::blocks_8x8(a, options_.threads).count;
    if (options_.spy_size != 0) picture_.add(panel, options_.threads);
    if (square_ && !mirrored_) sides_.add(panel);
    sizes_.add(panel);
    return values_.add(a.values, options_.threads);
  }

  [[nodiscard]] Status put(const MatrixInfo& info, reports::AnalyzeRecord& record) {
    SPRESS_TRY(const auto values, values_.statistics(counting_threads_));
    SPRESS_TRY(const auto sizes, sizes_.footprints(whole_, values,
                                                   "not sized by --stream: the size of this format is not a sum over "
                                                   "the rows, and needs the whole matrix in memory"));
    const bool symmetric = square_ && (mirrored_ || sides_.balanced());
    record.matrix = matrix_record(info, whole_, lengths_, symmetric, values);
    for (const std::string& name : options_.orderings) {
      auto& ordering = record.orderings.emplace_back(name, reports::OrderingRecord{}).second;
      if (name != original_order) {
        ordering.status = "not_applicable";
        ordering.reason = "not computed by --stream: it needs the whole matrix in memory";
        continue;
      }
      put_facts({envelope_.metrics(), classes_, analyze::block_statistics(blocks_, whole_.nnz)}, ordering);
      put_footprints(sizes, ordering);
      consider(sizes, name, record.best);
      if (options_.spy_size != 0) put_picture(picture_.picture(), ordering);
    }
    return Ok{};
  }

 private:
  static constexpr std::uint64_t bytes_of_a_table = std::uint64_t{16} << 20;  // as ValueStream::statistics says

  const AnalyzeOptions& options_;
  int counting_threads_;
  bool square_, mirrored_;
  WholeMatrix whole_;
  RowLengths lengths_;
  reorder::EnvelopeCounter envelope_;
  std::array<analyze::IndexClasses, 4> classes_;
  std::uint64_t blocks_ = 0;
  analyze::SpyCounter picture_;
  MirrorSums sides_;
  FootprintStream sizes_;
  ScratchValues spill_;
  analyze::ValueStream values_;
};

Result<std::unique_ptr<io::RowStream>> open(const std::string& input, const AnalyzeOptions& options) {
  io::ReadOptions reading = options.reading;
  reading.threads = options.threads;
  io::RowStreamOptions share;
  share.bytes_per_square_row = reorder::EnvelopeCounter::bytes_per_row;
  return open_stream(input, reading, *options.stream, share);
}

}  // namespace

Result<reports::AnalyzeRecord> analyze_stream(const std::string& input, const AnalyzeOptions& wanted,
                                              std::string& note) {
  const auto start = Clock::now();
  constexpr std::uint64_t bytes_of_a_thread = std::uint64_t{4} << 20;  // counters, pictures, tables
  AnalyzeOptions options = wanted;
  options.threads = threads_in_memory(wanted.threads, wanted.stream->memory / 4, bytes_of_a_thread);
  SPRESS_TRY(auto sizes, FootprintStream::of(options.measured_formats()));
  SPRESS_TRY(const auto rows, open(input, options));
  note = rows->info().note;
  Statistics statistics(*rows, options, std::move(sizes), rows->memory());
  RowPanel panel;
  for (;;) {
    SPRESS_TRY(const bool more, rows->next(panel));
    if (!more) break;
    Status added = statistics.add(panel);
    if (!added.ok()) {
      added.error().file = input;
      return std::move(added).error();
    }
  }
  reports::AnalyzeRecord record;
  record.tool = tool_record();
  SPRESS_CHECK(statistics.put(rows->info(), record));
  record.seconds = seconds_since(start);
  return record;
}

}  // namespace spress::pipeline
