// Runs over many files: each of a folder, or of a list, is written to a place of its own below another folder, or only
// looked at.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/description.hpp"
#include "formats/core/result.hpp"
#include "pipeline/collection/jobs.hpp"
#include "pipeline/source.hpp"

namespace spress {
namespace pipeline {

/// How one file of a run ended.
enum class FileEnd : std::uint8_t { done, kept, failed };

}  // namespace pipeline

template <>
struct EnumNames<pipeline::FileEnd> {
  static constexpr std::array<std::string_view, 3> names = {"done", "kept", "failed"};
};

}  // namespace spress

namespace spress::pipeline {

/// The place of an item below a folder, without its endings: d/a for d/a.mtx.gz and for d/a.spress.
[[nodiscard]] std::filesystem::path place_of(const Item& item);

/// Where each item is written: `folder`/d/a + ending for an item d/a.mtx.gz below the folder that was named. Creates
/// nothing. Errors: usage, naming both, where two items have one target, by whatever links, or a target is one of the
/// items or a link to a file of another kind.
[[nodiscard]] Result<std::vector<std::filesystem::path>> targets_of(const std::vector<Item>& items,
                                                                    const std::filesystem::path& folder,
                                                                    std::string_view ending);

struct FileOutcome {
  std::size_t item = 0;  ///< its place among the items
  std::string output;    ///< empty where nothing is written
  FileEnd end = FileEnd::failed;
  std::uint64_t input_bytes = 0, output_bytes = 0;  ///< of the files
  std::string error;
};

struct FileTotals : Tally {
  double seconds = 0;
};

struct FileRunOptions {
  JobOptions jobs;
  bool fresh = false;  ///< do again what an earlier run has done
  /// Whether the file in the place of the target is what the work would write there.
  std::function<bool(const Item& item, const std::filesystem::path& target)> is_done = {};
  std::function<void(const Progress&)> on_progress = {};    ///< one call at a time
  std::function<void(const FileOutcome&)> on_outcome = {};  ///< one call at a time
};

/// The work on item i; it writes to `target`. Requires of it: the target appears complete or not at all.
using FileWork =
    std::function<Status(std::size_t i, const std::filesystem::path& target, int threads, MemoryGate::Share& memory)>;

/// Creates the folder that a target lies in. Errors: unwritable.
[[nodiscard]] Status make_folder_of(const std::filesystem::path& target);

/// Works on every item. A target that is_done is kept as it is; so a run that was killed goes on where it stopped. What
/// goes wrong with one file is its outcome, and the others go on. targets: one for each item, or none at all.
/// Ranks that share a queue (options.jobs.shared) each work on what they draw; the leader waits for the others, and its
/// totals are those of all. Errors: unwritable for a disk that is full or read-only; what is written stays. too_large
/// where memory runs out between files; truncated where a rank ended before its work was done.
[[nodiscard]] Result<FileTotals> run_files(const std::vector<Item>& items,
                                           const std::vector<std::filesystem::path>& targets,
                                           const FileRunOptions& options, const FileWork& work);

}  // namespace spress::pipeline
