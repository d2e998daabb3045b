// Subcommands that work on many files: their options, their progress, their summary.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "cli/command.hpp"
#include "pipeline/collection/file_run.hpp"
#include "pipeline/ranks/share.hpp"
#include "pipeline/stream/open_stream.hpp"

namespace spress::cli {

struct JobFlags {
  int jobs = 0;
  std::string memory;
};
/// Adds --jobs, --memory and --no-progress.
void add_jobs(Command command, JobFlags& flags, Common& common);

/// The bytes of --memory, 0 where it is not given. Errors: usage.
[[nodiscard]] Result<std::uint64_t> memory_of(const JobFlags& flags);

/// Adds --stream. note: what it leaves out.
Option add_stream(Command command, bool& flag, const std::string& note);

/// How --stream works: on one matrix at a time, within --memory. The scratch files lie in the folder that TMPDIR names,
/// else in `folder`. Errors: usage for --jobs or the size of --memory.
[[nodiscard]] Result<pipeline::StreamOptions> stream_options(const JobFlags& flags,
                                                             const std::filesystem::path& folder);
/// Shares --memory among the processes of a machine, if it is given.
void share_memory(pipeline::StreamOptions& stream, const JobFlags& flags, const pipeline::Ranks& ranks);

/// Shows progress: on a terminal as a line that is rewritten, else in a run of several processes, whose launcher takes
/// the terminal away, as a line every ten seconds. Nothing where none is wanted, and for processes that do not lead.
[[nodiscard]] std::function<void(const pipeline::Progress&)> progress_of(const Common& common,
                                                                         const pipeline::Ranks& ranks);

/// The options of a run over files. Its callback shows progress.
/// Errors: usage for the size of --memory.
[[nodiscard]] Result<pipeline::FileRunOptions> file_run_options(const JobFlags& flags, const Common& common,
                                                                const pipeline::Ranks& ranks = pipeline::Ranks::alone(),
                                                                pipeline::RunFile* shared = nullptr);

/// The inputs, and the place of each below the folder `output`. Errors: those of pipeline::collect and targets_of.
[[nodiscard]] Result<pipeline::FileList> files_below(const std::string& output, std::string_view ending,
                                                     Result<std::vector<pipeline::Item>> inputs);

/// Nanoseconds from 1970 to the last change of a file; negative where there is none.
[[nodiscard]] std::int64_t changed_at(const std::filesystem::path& file);
/// A digest of a source as it is when a run begins, and of how the run reads and writes it: where either has changed,
/// the next run knows.
[[nodiscard]] std::string made_from(const pipeline::Item& item, const std::string& how);

/// Marks the target as made of an item. Its time gets the second of the item's, and microseconds that stand for
/// made_from. A file system that keeps no microseconds loses the mark.
void mark_as_ours(const pipeline::Item& item, const io::ReadOptions& how, const std::filesystem::path& target);

/// The error for a file that is there where a run would write. what: "is ...", about the file.
[[nodiscard]] Error in_the_way(const std::filesystem::path& target, const std::string& what);

/// Whether a run marked the target so. Nothing else tells it from a file of the user's.
[[nodiscard]] bool is_ours(const pipeline::Item& item, const io::ReadOptions& how, const std::filesystem::path& target);

/// Errors: usage for a target that is there, and that no run made of its source as it is now.
[[nodiscard]] Status check_nothing_is_replaced(const pipeline::FileList& list, const io::ReadOptions& how);

/// A line about files that a walk passed over.
[[nodiscard]] std::function<void(const std::string&)> note_to(const Common& common);

/// "517 files: 510 written, 5 kept, 2 failed; 1.2 GB -> 480 MB (0.400) in 1:23", or as JSON on stdout. verb: what was
/// done. Sums up what several processes have done, and says it once. Returns the exit code, which is the leader's.
/// Errors: that of the run; truncated where it is that of another process.
[[nodiscard]] Result<int> finish_files(const Common& common, const pipeline::Ranks& ranks,
                                       Result<pipeline::FileTotals> ended, const std::string& verb);

/// Tells how one file ended: a line of JSON on stdout, to which add(json) adds, or what failed on stderr.
void tell_outcome(const Common& common, const pipeline::FileOutcome& outcome, const pipeline::Item& item,
                  const std::function<void(Json&)>& add = {});

}  // namespace spress::cli
