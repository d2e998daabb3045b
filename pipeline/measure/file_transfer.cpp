#include "pipeline/measure/file_transfer.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/clock.hpp"
#include "formats/core/threads.hpp"
#include "formats/io/container/container.hpp"
#include "pipeline/measure/file_ways.hpp"

namespace spress::pipeline {
namespace {

using reports::FileTransferMeasure;
using reports::FileTransferRecord;

// --- Files -----------------------------------------------------------------------------------------------------------

Error system_error(ErrorCode code, const std::string& what, const std::filesystem::path& path) {
  return {code, what + ": " + std::strerror(errno), path.string(), 0};
}

/// An open file.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// A file without a name in the folder, with these bytes. Errors: unwritable.
Result<Descriptor> nameless_file(const std::filesystem::path& folder, std::span<const std::uint8_t> bytes) {
  std::string name = (folder / ".spress-csr-XXXXXX").string();
  Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (file.number() < 0) return system_error(ErrorCode::unwritable, "CSR's arrays cannot be written here", folder);
  ::unlink(name.c_str());
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error(ErrorCode::unwritable, "CSR's arrays cannot be written here", folder);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  if (::fsync(file.number()) != 0) return system_error(ErrorCode::unwritable, "CSR's arrays cannot be synced", folder);
  return file;
}

/// Whether a byte of the file is read without waiting for the disk.
bool is_in_memory(int file) {
  char byte = 0;
  iovec place = {&byte, 1};
  return ::preadv2(file, &place, 1, 0, RWF_NOWAIT) == 1;
}

/// Errors: unsupported where the file stays in memory.
Status drop_from_memory(int file) {
  static_cast<void>(::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED));
  if (!is_in_memory(file)) return Ok{};
  return Error{ErrorCode::unsupported,
               "the system keeps the file in memory (as in a file system of memory), so it cannot be read cold; leave "
               "out --cold",
               {},
               0};
}

// --- Measuring -------------------------------------------------------------------------------------------------------

/// A way, its file, and what the runs spent.
struct Measured {
  std::unique_ptr<Way> way = nullptr;
  int file = -1;
  FileTransferMeasure row = {};
  std::vector<Stages> spent = {};

  void fill(const std::vector<double>& seconds, const std::vector<double>& plain_seconds) {
    const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
    row.seconds_median = median(seconds);
    row.seconds_min = *least;
    row.seconds_max = *most;
    row.repetitions = static_cast<int>(seconds.size());
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
    const auto plain_file = write_plain();
    const Descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.number() < 0) return system_error(ErrorCode::unreadable, "cannot be opened", path_);
    SPRESS_TRY(Measured from_csr, plain(plain_file));
    SPRESS_TRY(Measured from_spress, pressed(file.number()));
    for (Measured* way : {&from_csr, &from_spress})
      if (way->way) SPRESS_CHECK(prove(*way));
    if (from_csr.row.ok.value_or(true) && *from_spress.row.ok) SPRESS_CHECK(time(from_csr, from_spress));
    return FileTransferRecord{options_.cold, {from_csr.row, from_spress.row}};
  }

 private:
  [[nodiscard]] Result<Descriptor> write_plain() const {
    HostArray<std::uint8_t> packed(landing_.bytes);
    pack(a_, packed.data());
    const auto folder = path_.parent_path();
    return nameless_file(folder.empty() ? "." : folder, packed.span());
  }

  /// Without a file there is no way, only a row with the reason.
  [[nodiscard]] Result<Measured> plain(const Result<Descriptor>& file) {
    Measured out;
    out.row.way = "csr";
    out.row.file_bytes = out.row.sent_bytes = landing_.bytes;
    if (file.ok()) {
      out.file = file->number();
      SPRESS_TRY(out.way, plain_way(wire_, out.file, landing_, threads_));
    } else {
      out.row.reason = file.error().text();
    }
    return out;
  }

  [[nodiscard]] Result<Measured> pressed(int file) {
    Measured out = {.file = file};
    const auto bytes = std::filesystem::file_size(path_);
    SPRESS_TRY(out.way, block_way(wire_, path_, landing_, threads_));
    out.row.in_pieces = out.way != nullptr;
    if (!out.way) out.way = whole_way(wire_, file, bytes, landing_, threads_);
    out.row.way = "spress";
    out.row.file_bytes = bytes;
    out.row.sent_bytes = bytes_of(expected_);
    return out;
  }

  /// Runs the way once and says in its row whether the right bits arrived. Errors: of the way.
  [[nodiscard]] Status prove(Measured& way) {
    SPRESS_CHECK(wire_.poison(landing_.memory.get(), landing_.bytes));
    SPRESS_CHECK(way.way->run());
    SPRESS_TRY(way.row.ok, arrived(wire_, expected_));
    if (!*way.row.ok) way.row.reason = "other bits arrived than the file holds";
    return Ok{};
  }

  [[nodiscard]] Status time(Measured& plain, Measured& pressed) {
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
          for (const int file : {plain.file, pressed.file})
            if (failure.ok() && file >= 0) failure = drop_from_memory(file);
          const auto start = Clock::now();
          timed();
          seconds += seconds_since(start);
        }
        return seconds;
      };
    const auto times = time_pairs({run(plain.way ? plain : pressed)}, {run(pressed)}, how);
    SPRESS_CHECK(std::move(failure));
    if (plain.way) plain.fill(times.baseline, times.baseline);
    pressed.fill(times.candidate, times.baseline);
    if (!plain.way) pressed.row.speedup_vs_csr = reports::not_measured;
    return prove(pressed);  // work that races may be wrong only now and then
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
