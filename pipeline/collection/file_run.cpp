#include "pipeline/collection/file_run.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "formats/io/bytes/output_file.hpp"
#include "formats/io/readers/file_kinds.hpp"
#include "pipeline/ranks/share.hpp"

namespace spress::pipeline {
namespace {

namespace fs = std::filesystem;

/// Device and inode: the same through every link.
using FileId = std::pair<dev_t, ino_t>;

std::optional<FileId> id_of(const fs::path& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return FileId(found.st_dev, found.st_ino);
}

/// Whether nothing more can be written beside `path`, so that other files would fail as well: the next folder that is
/// there is read-only, or has no room for `bytes`.
bool is_full(const fs::path& path, std::uint64_t bytes) {
  std::error_code ignored;
  fs::path folder = fs::absolute(path, ignored).parent_path();
  while (!fs::is_directory(folder, ignored) && folder.has_relative_path()) folder = folder.parent_path();
  struct statvfs disk = {};
  if (::access(folder.c_str(), W_OK) != 0 || ::statvfs(folder.c_str(), &disk) != 0) return true;
  constexpr std::uint64_t least = 1 << 20;
  return disk.f_bavail * disk.f_frsize < std::max(bytes, least);
}

std::uint64_t bytes_of(const fs::path& path) {
  std::error_code unknown;
  const auto bytes = fs::file_size(path, unknown);
  return unknown ? 0 : bytes;
}

/// What the jobs of a run share.
class FileRun {
 public:
  FileRun(const std::vector<Item>& items, const std::vector<fs::path>& targets, const FileRunOptions& options,
          const FileWork& work)
      : items_(items), targets_(targets), options_(options), work_(work), progress_(items.size()) {}

  Result<FileTotals> run() {
    const auto start = Clock::now();
    std::vector<std::size_t> all(items_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i, progress_.expect(items_[i]);
    SPRESS_CHECK(work_through(items_, std::move(all), options_.jobs,
                              [&](std::size_t i, int threads, MemoryGate::Share& memory) -> Status {
                                SPRESS_TRY(const FileOutcome outcome, outcome_of(i, threads, memory));
                                std::lock_guard hold(mutex_);
                                return count(i, outcome);
                              }));
    if (shared() != nullptr) SPRESS_CHECK(shared()->is_leaders() ? wait_for_others() : shared()->check_leader());
    totals_.seconds = seconds_since(start);
    return totals_;
  }

 private:
  [[nodiscard]] const fs::path& target_of(std::size_t i) const {
    static const fs::path none;
    return targets_.empty() ? none : targets_[i];
  }

  /// Whether an earlier run has left the target as this one would write it.
  [[nodiscard]] bool is_done(std::size_t i) const {
    const fs::path& target = target_of(i);
    std::error_code ignored;
    return !options_.fresh && options_.is_done && fs::is_regular_file(target, ignored) &&
           options_.is_done(items_[i], target);
  }

  /// Errors: unwritable where the other files would meet it, too.
  Result<FileOutcome> outcome_of(std::size_t i, int threads, MemoryGate::Share& memory) const {
    const Item& item = items_[i];
    FileOutcome out{i, target_of(i).string(), FileEnd::failed, item.size, 0, {}};
    if (!item.problem.empty()) {
      out.error = item.input + ": " + item.problem;
    } else if (is_done(i)) {
      out.end = FileEnd::kept;
    } else if (Status worked = work_on(i, threads, memory); !worked.ok()) {
      if (worked.error().code == ErrorCode::unwritable && is_full(target_of(i), item.size))
        return std::move(worked).error();
      if (worked.error().file.empty()) worked.error().file = item.input;
      out.error = worked.error().text();
    } else {
      out.end = FileEnd::done;
    }
    if (out.end != FileEnd::failed && !out.output.empty()) out.output_bytes = bytes_of(target_of(i));
    return out;
  }

  Status work_on(std::size_t i, int threads, MemoryGate::Share& memory) const {
    try {
      return work_(i, target_of(i), threads, memory);
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::too_large, "not enough memory for this matrix", items_[i].input, 0};
    } catch (const std::exception& error) {
      return Error{ErrorCode::unreadable, error.what(), items_[i].input, 0};
    }
  }

  [[nodiscard]] RunFile* shared() const { return options_.jobs.shared; }

  Status count(std::size_t i, const FileOutcome& outcome) {
    Tally tally;
    ++(outcome.end == FileEnd::failed ? tally.failed : outcome.end == FileEnd::kept ? tally.kept : tally.done);
    if (outcome.end != FileEnd::failed)
      tally.input_bytes = outcome.input_bytes, tally.output_bytes = outcome.output_bytes;
    tally.worked = ProgressCount::weight(items_[i]);
    if (options_.on_outcome) options_.on_outcome(outcome);
    if (shared() == nullptr) {
      totals_ += tally;
    } else {
      SPRESS_TRY(static_cast<Tally&>(totals_), shared()->add(tally));
    }
    if (options_.on_progress) options_.on_progress(progress_.progress(totals_, name_of_input(items_[i].input)));
    return Ok{};
  }

  Status wait_for_others() {
    SPRESS_TRY(static_cast<Tally&>(totals_), pipeline::wait_for_others(*shared(), [&](const Tally& tally) {
                 if (options_.on_progress) options_.on_progress(progress_.progress(tally, {}));
               }));
    return check_all_done(totals_.items(), items_.size());
  }

  const std::vector<Item>& items_;
  const std::vector<fs::path>& targets_;
  const FileRunOptions& options_;
  const FileWork& work_;
  std::mutex mutex_;  // guards what follows and the callbacks
  ProgressCount progress_;
  FileTotals totals_;
};

}  // namespace

fs::path place_of(const Item& item) {
  const fs::path below(item.below);
  return below.parent_path() / (below.extension() == ".spress" ? below.stem().string() : io::matrix_name(below));
}

Result<std::vector<fs::path>> targets_of(const std::vector<Item>& items, const fs::path& folder,
                                         std::string_view ending) {
  std::vector<fs::path> targets;
  std::map<fs::path, const Item*> of_target;
  std::map<FileId, const Item*> of_file;
  for (const Item& item : items)
    if (const auto id = id_of(item.input)) of_file[*id] = &item;
  for (const Item& item : items) {
    fs::path target = folder / place_of(item);
    target += ending;
    SPRESS_TRY(const fs::path led, io::follow_links(target));
    std::error_code ignored;
    const fs::path end = fs::weakly_canonical(fs::absolute(led, ignored), ignored);
    const auto [other, is_first] = of_target.emplace(end, &item);
    if (!is_first)
      return Error{ErrorCode::usage,
                   fmt::format("would be written to {}, and so would {}; give them folders of their own",
                               target.string(), other->second->input),
                   item.input, 0};
    if (const auto id = id_of(target); id && of_file.count(*id) != 0)
      return Error{ErrorCode::usage,
                   fmt::format("{} would replace the input {}; choose another folder", item.input, of_file[*id]->input),
                   target.string(), 0};
    if (!end.string().ends_with(ending))
      return Error{ErrorCode::usage, "is a link to " + end.string() + ", which would be replaced; remove the link",
                   target.string(), 0};
    targets.push_back(std::move(target));
  }
  return targets;
}

Status make_folder_of(const fs::path& target) {
  std::error_code code;
  const fs::path folder = target.parent_path();
  if (!folder.empty()) fs::create_directories(folder, code);
  if (code) return Error{ErrorCode::unwritable, "cannot be created: " + code.message(), folder.string(), 0};
  return Ok{};
}

Result<FileTotals> run_files(const std::vector<Item>& items, const std::vector<fs::path>& targets,
                             const FileRunOptions& options, const FileWork& work) {
  return FileRun(items, targets, options, work).run();
}

}  // namespace spress::pipeline
