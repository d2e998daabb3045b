#include "pipeline/measure/file_transfer.hpp"

#include <string>
#include <utility>
#include <vector>

#include "formats/core/clock.hpp"
#include "formats/core/threads.hpp"
#include "formats/io/bytes/output_file.hpp"
#include "formats/io/container/container.hpp"
#include "pipeline/measure/file_ways.hpp"
#include "pipeline/measure/rows.hpp"

namespace spress::pipeline {
namespace {

using reports::FileTransferMeasure;
using reports::FileTransferRecord;

/// A file that goes when it is closed.
struct ScratchFile {
  io::OutputFile written;
  std::shared_ptr<io::InputFile> file;
};

/// A file with these bytes beside `path`. Errors: unwritable.
Result<ScratchFile> scratch_file(const std::filesystem::path& path, std::span<const std::uint8_t> bytes) {
  SPRESS_TRY(io::OutputFile out, io::OutputFile::create(path.string() + ".csr"));
  SPRESS_CHECK(out.write(bytes.data(), bytes.size()));
  SPRESS_TRY(auto file, out.open_written());
  return ScratchFile{std::move(out), std::move(file)};
}

/// A way, its file, and what the runs spent.
struct Measured {
  std::unique_ptr<Way> way = nullptr;
  const io::InputFile* file = nullptr;
  FileTransferMeasure row = {};
  std::vector<Stages> spent = {};

  void fill(const std::vector<double>& seconds, const std::vector<double>& plain_seconds) {
    fill_spread(row, seconds);
    row.read_seconds = median_of(&Stages::read);
    row.decode_seconds = median_of(&Stages::decode);
    row.copy_seconds = median_of(&Stages::copy);
    row.gb_per_s = 1e-9 * static_cast<double>(row.sent_bytes) / row.seconds_median;
    row.speedup_vs_csr = paired_speedup({plain_seconds, seconds});
  }

 private:
  [[nodiscard]] double median_of(double Stages::*stage) const {
    std::vector<double> all;
    for (const Stages& run : spent) all.push_back(run.*stage);
    return median(std::move(all));
  }
};

class FileTransfer {
 public:
  FileTransfer(const Csr<Viewed>& a, const std::filesystem::path& path, const FileTransferOptions& options, Wire& wire)
      : a_(a), path_(path), options_(options), wire_(wire), threads_(thread_count(options.threads)) {}

  Result<FileTransferRecord> measure() {
    SPRESS_TRY(landing_, make_landing(wire_, a_));
    expected_ = copies_to(a_, landing_);
    const auto csr_file = write_csr();
    SPRESS_TRY(const auto file, io::InputFile::open(path_));
    if (options_.cold) SPRESS_CHECK(file->drop_from_memory());  // before the work
    SPRESS_TRY(Measured from_csr, way_of_csr(csr_file));
    SPRESS_TRY(Measured from_spress, way_of_spress(*file));
    SPRESS_CHECK(prove(from_csr, from_spress));
    if (from_csr.row.ok.value_or(true) && *from_spress.row.ok) SPRESS_CHECK(time(from_csr, from_spress));
    return FileTransferRecord{options_.cold, {from_csr.row, from_spress.row}};
  }

 private:
  [[nodiscard]] Result<ScratchFile> write_csr() const {
    HostArray<std::uint8_t> packed(landing_.bytes);
    pack(a_, packed.data());
    return scratch_file(path_, packed.span());
  }

  /// Without a file there is no way, only a row with the reason.
  [[nodiscard]] Result<Measured> way_of_csr(const Result<ScratchFile>& file) {
    Measured out;
    out.row.way = "csr";
    out.row.file_bytes = out.row.sent_bytes = landing_.bytes;
    if (file.ok()) {
      out.file = file->file.get();
      SPRESS_TRY(out.way, plain_way(wire_, *out.file, landing_, threads_));
    } else {
      out.row.reason = file.error().text();
    }
    return out;
  }

  [[nodiscard]] Result<Measured> way_of_spress(const io::InputFile& file) {
    Measured out = {.file = &file};
    SPRESS_TRY(out.way, block_way(wire_, path_, landing_, threads_));
    out.row.in_pieces = out.way != nullptr;
    if (!out.way) out.way = whole_way(wire_, file, landing_, threads_);
    out.row.way = "spress";
    out.row.file_bytes = file.size();
    out.row.sent_bytes = bytes_of(expected_);
    return out;
  }

  /// Runs each way once and says in its row whether the right bits arrived. Errors: of the ways.
  [[nodiscard]] Status prove(Measured& csr, Measured& spress) {
    for (Measured* measured : {&csr, &spress}) {
      if (!measured->way) continue;
      SPRESS_CHECK(wire_.poison(landing_.memory.get(), landing_.bytes));
      SPRESS_CHECK(measured->way->run());
      SPRESS_TRY(measured->row.ok, arrived(wire_, expected_));
      if (!*measured->row.ok) measured->row.reason = "other bits arrived than the file holds";
    }
    return Ok{};
  }

  [[nodiscard]] Status time(Measured& csr, Measured& spress) {
    Status failure = Ok{};
    const auto run = [&](Measured& way) {
      return [&] {
        if (!failure.ok()) return;
        failure = way.way->run();
        way.spent.push_back(way.way->spent());
      };
    };
    Pairing how = options_.pairing;
    if (options_.cold)
      how.stopwatch = [&](const std::function<void()>& timed, int runs) {
        double seconds = 0;
        for (int i = 0; i < runs; ++i) {
          for (const io::InputFile* file : {csr.file, spress.file})
            if (failure.ok() && file != nullptr) failure = file->drop_from_memory();
          const auto start = Clock::now();
          timed();
          seconds += seconds_since(start);
        }
        return seconds;
      };
    const auto times = time_pairs({run(csr.way ? csr : spress)}, {run(spress)}, how);
    SPRESS_CHECK(std::move(failure));
    SPRESS_CHECK(prove(csr, spress));  // once more: work that races may be wrong only now and then
    if (!csr.row.ok.value_or(true) || !*spress.row.ok) return Ok{};
    if (csr.way) csr.fill(times.baseline, times.baseline);
    spress.fill(times.candidate, times.baseline);
    if (!csr.way) spress.row.speedup_vs_csr = reports::not_measured;
    return Ok{};
  }

  Csr<Viewed> a_;
  const std::filesystem::path& path_;
  const FileTransferOptions& options_;
  Wire& wire_;
  int threads_;
  Landing landing_;
  std::vector<cuda::Copy> expected_;
};

}  // namespace

Result<std::optional<FileTransferRecord>> transfer_file(const std::filesystem::path& path,
                                                        const FileTransferOptions& options, Wire& wire) {
  SPRESS_TRY(const auto head, io::read_container_head(path));
  if (head.format != "matrix") return std::optional<FileTransferRecord>();
  SPRESS_TRY(const io::Container container, io::read_container(path, options.threads));
  const DefaultThreads threads(options.threads);
  SPRESS_TRY(auto record, FileTransfer(view_of(std::get<Csr<Owned>>(container.matrix)), path, options, wire).measure());
  return std::optional(std::move(record));
}

}  // namespace spress::pipeline
