#include "pipeline/measure/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/choosing.hpp"
#include "cli/file_check.hpp"
#include "cli/file_run.hpp"
#include "cli/loading.hpp"
#include "cli/measuring.hpp"
#include "formats/io/bytes/endings.hpp"
#include "formats/io/container/container.hpp"
#include "pipeline/compare.hpp"
#include "reports/json/json.hpp"
#include "reports/text/text_table.hpp"

namespace spress::cli {
namespace {

struct VerifyArguments {
  Common common;
  std::vector<std::string> inputs;
  std::string formats, device = "cpu", against;
  JobFlags jobs;
  bool deep = false;
};

std::string kernel_of(const reports::MeasureRecord& r) {
  if (r.kernel.empty()) return "-";
  return r.kernel + (r.repeatable.value_or(true) ? "" : " (not repeatable)");
}

std::vector<std::string> cells_of(const reports::MeasureRecord& r, bool kernels) {
  std::vector<std::string> cells = {reports::spec_of(r),
                                    r.values,
                                    r.type,
                                    r.ok || r.total_bytes != 0 ? human_bytes(r.total_bytes) : "-",
                                    std::isnan(r.max_error_ratio) ? "-" : fmt::format("{:.3g}", r.max_error_ratio),
                                    !r.ok   ? "-"
                                    : *r.ok ? "ok"
                                            : "FAIL"};
  if (kernels) cells.push_back(kernel_of(r));
  cells.push_back(r.reason);
  return cells;
}

std::string text_of(const reports::VerifyRecord& record) {
  using reports::Align;
  const bool kernels =
      std::any_of(record.formats.begin(), record.formats.end(), [](const auto& r) { return !r.kernel.empty(); });
  std::vector<reports::TextTable::Column> columns = {{"format", Align::left}, {"values", Align::left},
                                                     {"type", Align::left},   {"bytes"},
                                                     {"error/bound"},         {"ok", Align::left}};
  if (kernels) columns.push_back({"kernel", Align::left});
  columns.push_back({"", Align::left});
  reports::TextTable table(columns);
  for (const auto& r : record.formats) table.row(cells_of(r, kernels));
  return fmt::format("{}: {} x {}, {} entries, on {}\n{}", reports::shown(record.path, 100), record.rows, record.cols,
                     record.nnz, record.device, table.str());
}

/// Proves the encodings of one matrix; true if all of them hold.
Result<bool> prove(const VerifyArguments& options, const std::string& input, pipeline::VerifyOptions how, bool choose) {
  SPRESS_TRY(const auto matrix, load_matrix(options.common, input));
  if (choose) SPRESS_CHECK(add_chosen(options.common, options.device, view_of(matrix.csr), std::nullopt, how.formats));
  SPRESS_TRY(const auto record, pipeline::verify(matrix, how));
  print(options.common.json ? reports::to_json_line(record) + "\n" : text_of(record));
  return record.ok;
}

Result<int> prove_each(const VerifyArguments& options) {
  pipeline::VerifyOptions how;
  how.threads = options.common.threads;
  bool choose = false, good = true;
  SPRESS_TRY(how.formats, parse_with_auto(options.formats, choose));
  SPRESS_TRY(how.device, pipeline::find_device(device_kind(options.device)));
  SPRESS_TRY(const auto items, pipeline::collect(options.inputs, pipeline::Wanted::matrices, note_to(options.common)));
  for (const auto& item : items) {
    const auto ok = item.problem.empty() ? prove(options, item.input, how, choose)
                                         : Result<bool>(Error{ErrorCode::unreadable, item.problem, item.input, 0});
    if (!ok.ok()) {
      if (items.size() == 1 || ok.error().code == ErrorCode::usage) return ok.error();
      tell_failure(ok.error().text());
    }
    good = good && ok.ok() && *ok;
  }
  return good ? ExitCode::good : ExitCode::found_false;
}

/// The source of each container: the one of the same name in the same place below --against, or --against itself.
class Sources {
 public:
  static Result<Sources> find(const std::string& against) {
    Sources out;
    SPRESS_TRY(out.items_, pipeline::collect({against}, pipeline::Wanted::sources));
    out.is_file_ = is_one_file({against});
    out.folder_ = against;
    for (const auto& item : out.items_) out.named_[pipeline::place_of(item)].push_back(item.input);
    return out;
  }
  [[nodiscard]] Result<std::string> of(const pipeline::Item& container) const {
    if (is_file_) return items_.front().input;
    const auto found = named_.find(pipeline::place_of(container));
    if (found == named_.end())
      return Error{
          ErrorCode::not_found,
          "has no source: there is no " + pipeline::place_of(container).string() + ".mtx or the like in " + folder_,
          container.input, 0};
    if (found->second.size() > 1)
      return Error{ErrorCode::usage, "has two sources: " + found->second[0] + " and " + found->second[1],
                   container.input, 0};
    return found->second[0];
  }

 private:
  std::vector<pipeline::Item> items_;
  std::map<std::filesystem::path, std::vector<std::string>> named_;
  std::string folder_;
  bool is_file_ = false;
};

/// Checks one container as far as it is asked for. Errors: what is wrong with it.
Status check(const VerifyArguments& options, const std::optional<Sources>& sources, const pipeline::Item& item,
             int threads, pipeline::MemoryGate::Share& memory) {
  if (!options.deep && !sources) {
    const auto head = io::check_container(item.input, threads);
    return head.ok() ? Status(Ok{}) : Status(head.error());
  }
  SPRESS_TRY(const auto matrix, pipeline::load_container(item.input, threads));
  if (!sources) return Ok{};
  memory.correct(3 * byte_totals(matrix.csr).total());
  SPRESS_TRY(const std::string source, sources->of(item));
  SPRESS_TRY(const auto original, load_matrix(options.common, source, threads));
  const auto found = pipeline::difference(view_of(matrix.csr), view_of(original.csr));
  if (!found) return Ok{};
  return Error{ErrorCode::damaged, "is not the matrix of " + source + ", first: " + found->first, item.input, 0};
}

/// Whether an input, no folder, can only be a matrix to encode.
bool is_source(const std::string& input) {
  std::error_code ignored;
  return pipeline::is_generated(input) || (std::filesystem::is_regular_file(input, ignored) &&
                                           !input.ends_with(".spress") && !pipeline::is_container_file(input));
}

Result<pipeline::FileList> containers_of(const VerifyArguments& options) {
  for (const std::string& input : options.inputs)
    if (is_source(input))
      return Error{ErrorCode::usage,
                   options.deep || !options.against.empty()
                       ? "is no .spress file, and --deep and --against check such files"
                       : "is no .spress file; add --formats all to prove encodings of several matrices",
                   input, 0};
  auto found = pipeline::collect(options.inputs, pipeline::Wanted::containers);
  if (found.ok()) return pipeline::FileList{std::move(found).value(), {}};
  if (found.error().code == ErrorCode::usage) found.error().message += "; --formats proves encodings of matrices";
  return std::move(found).error();
}

Result<int> check_each(const VerifyArguments& options, pipeline::Ranks& ranks) {
  SPRESS_TRY(auto list, pipeline::share_files(ranks, {}, [&] { return containers_of(options); }));
  if (!list) return ExitCode::good;
  const auto& items = list->items;
  const auto check_all = [&]() -> Result<pipeline::FileTotals> {
    std::optional<Sources> sources;
    if (!options.against.empty()) {
      SPRESS_TRY(sources, Sources::find(options.against));
    }
    SPRESS_TRY(auto files, file_run_options(options.jobs, options.common, ranks, list->queue()));
    files.on_outcome = [&](const pipeline::FileOutcome& outcome) {
      tell_outcome(options.common, outcome, items[outcome.item]);
    };
    return pipeline::run_files(items, {}, files, [&](std::size_t i, const auto&, int threads, auto& memory) {
      return check(options, sources, items[i], threads, memory);
    });
  };
  return finish_files(options.common, ranks, check_all(), "sound");
}

/// Files are checked where that is asked for, and where there are many and nothing says that encodings are meant.
bool checks_files(const VerifyArguments& options, bool names_encodings) {
  return options.deep || !options.against.empty() || (!is_one_file(options.inputs) && !names_encodings);
}

}  // namespace

void add_verify(Registry& registry) {
  static VerifyArguments options;
  const Command command = registry.add(
      "verify", "Prove every encoding of a matrix: sizes, bits and products; or check files",
      std::string("spress verify gen:stencil27,n=20 --formats csr,opt-csr:index=delta\n"
                  "  spress verify gen:stencil27,n=20 --device cuda\n"
                  "  spress encode gen:poisson2d,n=50 gen:circuit -o encoded/\n  spress verify encoded/ --deep") +
          isa_note,
      options.common);
  registry.reads(command
                     .add_option("IN", options.inputs,
                                 "Matrix file, .spress file or gen:NAME,key=value,...: its encodings are proven; "
                                 "several .spress files, or folders: their checksums are checked")
                     .required());
  Option formats =
      command
          .add_option(
              "--formats", options.formats,
              "Formats to check, a list of 'spress list formats' [all]; auto: the one with the fastest product as "
              "predicted")
          .type_name("LIST");
  Option device = add_device(command, options.device);
  Option deep =
      command.add_flag("--deep", options.deep, "Check .spress files by decoding them, not by checksums alone");
  Option against = registry.reads(
      command.add_option("--against", options.against,
                         "Compare .spress files with their sources, bit for bit: a file, or a folder that holds them "
                         "in the same places"));
  for (Option option : {deep, against}) option.excludes(formats).excludes(device);
  add_jobs(command, options.jobs, options.common);
  add_reading(command, options.common);
  registry.on(command, [=]() -> Result<int> {
    SPRESS_TRY(auto ranks, pipeline::Ranks::join());
    if (checks_files(options, formats.given() || device.given())) return check_each(options, ranks);
    return ranks.leads() ? prove_each(options) : ExitCode::good;
  });
}

}  // namespace spress::cli
