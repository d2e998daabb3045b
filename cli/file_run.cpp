#include "cli/file_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "cli/measuring.hpp"
#include "pipeline/collection/collection.hpp"
#include "pipeline/digest.hpp"
#include "reports/text/text_table.hpp"

namespace spress::cli {

namespace {

constexpr std::int64_t second = 1'000'000'000;  // in nanoseconds

/// The fault of a size like 8G; empty if it has none.
std::string fault_of_size(const std::string& text) {
  if (text.empty()) return {};  // refused where all empty values are
  const auto size = pipeline::parse_size(text);
  return size.ok() ? std::string() : size.error().message;
}

}  // namespace

void add_jobs(Command command, JobFlags& flags, Common& common) {
  command.add_option("--jobs", flags.jobs, "Work on N matrices at a time [number of processors]")
      .type_name("N")
      .whole_number(1, 4096);
  command.add_option("--memory", flags.memory, "Memory for matrices in work, such as 8G [3/4 of what is free]")
      .type_name("SIZE")
      .checked(fault_of_size);
  add_no_progress(command, common);
}

namespace {

std::string progress_text(const pipeline::Progress& p) {
  const std::string left = p.seconds_left < 0 ? "" : ", about " + clock_text(p.seconds_left) + " left";
  const std::string failed = p.failed == 0 ? "" : fmt::format(", {} failed", p.failed);
  return fmt::format("{}/{}{} in {}{}", p.done, p.total, failed, clock_text(p.seconds), left);
}

}  // namespace

std::function<void(const pipeline::Progress&)> progress_of(const Common& common, const pipeline::Ranks& ranks) {
  if (!ranks.leads() || common.quiet || common.no_progress) return {};
  if (shows_progress(common))
    return [](const pipeline::Progress& p) {
      write_progress(fmt::format("{}  {}", progress_text(p), reports::shown(p.name, 30)));
    };
  if (!ranks.several()) return {};
  return [told = 0.0](const pipeline::Progress& p) mutable {
    constexpr double interval = 10;
    if (p.seconds < told + interval) return;
    told = p.seconds;
    write_stderr("spress: " + progress_text(p) + "\n");
  };
}

Result<std::uint64_t> memory_of(const JobFlags& flags) {
  return flags.memory.empty() ? Result<std::uint64_t>(0) : pipeline::parse_size(flags.memory);
}

Option add_stream(Command command, bool& flag, const std::string& note) {
  return command.add_flag(
      "--stream", flag,
      "Read matrices by rows, within --memory SIZE [256M], for files larger than memory: .mtx and .spress. " + note);
}

Result<pipeline::StreamOptions> stream_options(const JobFlags& flags, const std::filesystem::path& folder) {
  if (flags.jobs > 1) return Error{ErrorCode::usage, "--stream works on one matrix at a time; leave --jobs out"};
  pipeline::StreamOptions out;
  SPRESS_TRY(const std::uint64_t memory, memory_of(flags));
  if (memory != 0) out.memory = memory;
  const char* const named = std::getenv("TMPDIR");
  out.scratch = named != nullptr && *named != '\0' ? std::filesystem::path(named) : folder;
  return out;
}

void share_memory(pipeline::StreamOptions& stream, const JobFlags& flags, const pipeline::Ranks& ranks) {
  if (!flags.memory.empty()) stream.memory /= static_cast<std::uint64_t>(ranks.place().node_size);
}

Result<pipeline::FileRunOptions> file_run_options(const JobFlags& flags, const Common& common,
                                                  const pipeline::Ranks& ranks, pipeline::RunFile* shared) {
  pipeline::FileRunOptions out;
  out.jobs.shared = shared;
  out.jobs.ranks_here = ranks.place().node_size;
  out.jobs.jobs = flags.jobs;
  out.jobs.threads = common.threads;
  SPRESS_TRY(out.jobs.memory, memory_of(flags));
  out.on_progress = progress_of(common, ranks);
  return out;
}

Result<pipeline::FileList> files_below(const std::string& output, std::string_view ending,
                                       Result<std::vector<pipeline::Item>> inputs) {
  pipeline::FileList list;
  SPRESS_TRY(list.items, std::move(inputs));
  SPRESS_TRY(list.targets, pipeline::targets_of(list.items, output, ending));
  return list;
}

std::int64_t changed_at(const std::filesystem::path& file) {
  struct stat found = {};
  if (::stat(file.c_str(), &found) != 0) return -1;
  return std::int64_t{found.st_mtim.tv_sec} * second + found.st_mtim.tv_nsec;
}

std::string made_from(const pipeline::Item& item, const std::string& how) {
  return pipeline::digest_of(fmt::format("{} bytes of {} by {}", item.size,
                                         item.mtime_ns != 0 ? std::to_string(item.mtime_ns) : item.input, how));
}

namespace {

/// The time of what is made of an item, in whole microseconds, which nearly all file systems keep.
std::int64_t mark_of(const pipeline::Item& item, const io::ReadOptions& how) {
  const std::uint64_t number = std::stoull(made_from(item, how.text()), nullptr, 16);
  return std::max<std::int64_t>(item.mtime_ns, 0) / second * second +
         static_cast<std::int64_t>(number % 1'000'000) * 1000;
}

}  // namespace

void mark_as_ours(const pipeline::Item& item, const io::ReadOptions& how, const std::filesystem::path& target) {
  if (item.mtime_ns == 0) return;
  const std::int64_t mark = mark_of(item, how);
  const timespec changed = {mark / second, mark % second};
  const timespec times[2] = {changed, changed};
  static_cast<void>(::utimensat(AT_FDCWD, target.c_str(), times, 0));
}

Error in_the_way(const std::filesystem::path& target, const std::string& what) {
  return {ErrorCode::usage, "is there, and " + what + "; name another folder, or --fresh to replace it",
          target.string(), 0};
}

bool is_ours(const pipeline::Item& item, const io::ReadOptions& how, const std::filesystem::path& target) {
  return item.mtime_ns != 0 && changed_at(target) == mark_of(item, how);
}

Status check_nothing_is_replaced(const pipeline::FileList& list, const io::ReadOptions& how) {
  const auto& [items, targets] = list;
  std::error_code ignored;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (std::filesystem::exists(targets[i], ignored) && !is_ours(items[i], how, targets[i]))
      return in_the_way(
          targets[i], "is not what an earlier run made of " + items[i].input + " as it is now, with the same options");
  return Ok{};
}

std::function<void(const std::string&)> note_to(const Common& common) {
  return [&common](const std::string& note) { status(common, "spress: " + note); };
}

void tell_outcome(const Common& common, const pipeline::FileOutcome& outcome, const pipeline::Item& item,
                  const std::function<void(Json&)>& add) {
  if (!outcome.error.empty()) tell_failure(outcome.error, shows_progress(common));
  if (!common.json) return;
  Json out = {{"name", pipeline::name_of_input(item.input)}, {"path", item.input}, {"state", enum_name(outcome.end)}};
  if (!outcome.output.empty()) out["output"] = outcome.output;
  if (!outcome.error.empty()) out["error"] = outcome.error;
  out["input_bytes"] = outcome.input_bytes;
  if (!outcome.output.empty()) out["file_bytes"] = outcome.output_bytes;
  if (add) add(out);
  print_json(out);
}

namespace {

/// The totals of all processes on each of them.
Result<pipeline::FileTotals> sum_over(const pipeline::Ranks& ranks, Result<pipeline::FileTotals> own) {
  if (!ranks.joined()) return own;
  auto all = own.ok() ? *own : pipeline::FileTotals();
  std::array<std::uint64_t, 6> sums = {all.done,        all.kept,         all.failed,
                                       all.input_bytes, all.output_bytes, std::uint64_t{own.ok() ? 0u : 1u}};
  ranks.add_up(std::span<std::uint64_t>(sums));
  if (!own.ok()) return own;
  if (sums[5] != 0)
    return Error{ErrorCode::truncated, fmt::format("{} of {} processes stopped early", sums[5], ranks.size())};
  all.done = sums[0], all.kept = sums[1], all.failed = sums[2], all.input_bytes = sums[3], all.output_bytes = sums[4];
  return all;
}

}  // namespace

Result<int> finish_files(const Common& common, const pipeline::Ranks& ranks, Result<pipeline::FileTotals> ended,
                         const std::string& verb) {
  SPRESS_TRY(const auto totals, sum_over(ranks, std::move(ended)));
  if (!ranks.leads()) return ExitCode::good;
  if (shows_progress(common)) write_stderr("\r\033[K");
  const std::uint64_t files = totals.items();
  const bool has_ratio = totals.input_bytes != 0 && totals.output_bytes != 0;
  const double ratio = static_cast<double>(totals.output_bytes) / static_cast<double>(totals.input_bytes);
  if (common.json) {
    Json sums = {{"files", files},
                 {"done", totals.done},
                 {"kept", totals.kept},
                 {"failed", totals.failed},
                 {"input_bytes", totals.input_bytes},
                 {"output_bytes", totals.output_bytes},
                 {"ratio", has_ratio ? Json(ratio) : Json(nullptr)},
                 {"seconds", totals.seconds}};
    print_json({{"summary", std::move(sums)}});
  } else {
    std::string line = fmt::format("{} file{}: {} {}", files, files == 1 ? "" : "s", totals.done, verb);
    if (totals.kept != 0) line += fmt::format(", {} kept (--fresh does them again)", totals.kept);
    if (totals.failed != 0) line += fmt::format(", {} failed", totals.failed);
    if (has_ratio)
      line +=
          fmt::format("; {} -> {} ({:.3f})", human_bytes(totals.input_bytes), human_bytes(totals.output_bytes), ratio);
    status(common, line + " in " + clock_text(totals.seconds));
  }
  return totals.failed == 0 ? ExitCode::good : ExitCode::found_false;
}

}  // namespace spress::cli
