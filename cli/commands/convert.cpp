#include "pipeline/convert.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/file_check.hpp"
#include "cli/file_run.hpp"
#include "cli/loading.hpp"
#include "formats/io/bytes/listed.hpp"
#include "pipeline/source.hpp"

namespace spress::cli {
namespace {

struct ConvertArguments {
  Common common;
  std::vector<std::string> files;  ///< inputs, and the output behind them
  std::string to;
  JobFlags jobs;
  bool fresh = false;

  [[nodiscard]] std::vector<std::string> inputs() const {
    std::vector<std::string> all(files.begin(), files.end() - 1);
    std::transform(all.begin(), all.end(), all.begin(), standard_input);
    return all;
  }
  [[nodiscard]] const std::string& output() const { return files.back(); }
};

Json& add_shape(Json& out, const std::string& kind, const pipeline::Shape& shape) {
  out["kind"] = kind;
  out["rows"] = shape.rows;
  out["cols"] = shape.cols;
  out["nnz"] = shape.nnz;
  return out;
}

/// The kind of the output: a stream gets that of --to, a file that of its ending, with which --to has to agree.
Result<pipeline::TargetKind> kind_of_file(const ConvertArguments& options) {
  const bool stream = is_stream(options.output());
  if (stream) return pipeline::find_target_kind(options.to.empty() ? ".mtx" : options.to);
  SPRESS_TRY(auto kind, pipeline::target_kind_of(options.output()));
  if (options.to.empty()) return kind;
  SPRESS_TRY(const auto asked, pipeline::find_target_kind(options.to));
  if (asked.name == kind.name) return kind;
  return Error{ErrorCode::usage, fmt::format("ends as {} does, and --to asks for {}", kind.name, asked.name),
               options.output(), 0};
}

Result<int> convert_one(const ConvertArguments& options) {
  SPRESS_TRY(const auto kind, kind_of_file(options));
  const std::string input = options.inputs().front();
  SPRESS_TRY(const auto matrix, load_matrix(options.common, input));
  SPRESS_CHECK(pipeline::write_target(matrix, kind, options.output(), options.common.threads));
  const auto& a = matrix.csr;
  if (options.common.json) {
    Json out = {{"name", matrix.info.name}, {"path", input}, {"output", options.output()}};
    print_json(add_shape(out, kind.name, {a.rows, a.cols, a.nnz}));
  } else {
    status(options.common,
           fmt::format("{}: {} x {}, {} entries, {}", options.output(), a.rows, a.cols, a.nnz, kind.name));
  }
  return ExitCode::good;
}

/// Each input to a file of its own below the folder.
Result<int> convert_each(const ConvertArguments& options, pipeline::Ranks& ranks) {
  SPRESS_TRY(const auto kind, pipeline::find_target_kind(options.to.empty() ? ".mtx" : options.to));
  SPRESS_TRY(auto list, pipeline::share_files(ranks, options.output(), [&]() -> Result<pipeline::FileList> {
               SPRESS_TRY(auto all, files_below(options.output(), kind.ending,
                                                pipeline::collect(options.inputs(), pipeline::Wanted::matrices,
                                                                  note_to(options.common))));
               if (!options.fresh) SPRESS_CHECK(check_nothing_is_replaced(all, options.common.reading));
               return all;
             }));
  if (!list) return ExitCode::good;
  const auto& items = list->items;
  SPRESS_TRY(auto files, file_run_options(options.jobs, options.common, ranks, list->queue()));
  files.fresh = options.fresh;
  files.is_done = [&](const auto& item, const auto& target) { return is_ours(item, options.common.reading, target); };
  std::vector<pipeline::Shape> results(items.size());
  files.on_outcome = [&](const pipeline::FileOutcome& outcome) {
    tell_outcome(options.common, outcome, items[outcome.item], [&](Json& out) {
      if (outcome.end == pipeline::FileEnd::done) add_shape(out, kind.name, results[outcome.item]);
    });
  };
  const auto work = [&](std::size_t i, const std::filesystem::path& target, int threads,
                        pipeline::MemoryGate::Share& memory) -> Status {
    SPRESS_TRY(const auto matrix, load_matrix(options.common, items[i].input, threads));
    memory.correct(3 * byte_totals(matrix.csr).total());
    SPRESS_CHECK(pipeline::make_folder_of(target));
    SPRESS_CHECK(pipeline::write_target(matrix, kind, target, threads));
    results[i] = {matrix.csr.rows, matrix.csr.cols, matrix.csr.nnz};
    mark_as_ours(items[i], options.common.reading, target);
    return Ok{};
  };
  return finish_files(options.common, ranks, pipeline::run_files(items, list->targets, files, work), "written");
}

}  // namespace

void add_convert(Registry& registry) {
  static ConvertArguments options;
  const Command command = registry.add("convert", "Write matrices as files of another kind",
                                       "spress convert gen:fem3d,n=20 fem.npz\n  spress convert fem.npz fem.rb\n"
                                       "  spress convert gen:poisson2d,n=50 gen:circuit matrices/ --to .petsc",
                                       options.common);
  const Option files =
      command
          .add_option(
              "IN... OUT", options.files,
              "Matrix files, .spress files, folders (searched recursively) or gen:NAME,key=value,...; last, the "
              "file to write: " +
                  listed(pipeline::target_endings()) +
                  "; for several inputs or a folder of them, a folder: d/a.mtx becomes d/a.npz there, and a "
                  "file that is there already is replaced only by --fresh")
          .required()
          .at_least_two();
  registry.converts(files);
  command
      .add_option(
          "--to", options.to,
          "Kind of the files in a folder, or of standard output, by ending or as 'spress list files' says [.mtx]")
      .type_name("KIND");
  add_jobs(command, options.jobs, options.common);
  command.add_flag("--fresh", options.fresh, "Write every file of a folder again, whatever is in its place");
  add_reading(command, options.common);
  registry.on(command, []() -> Result<int> {
    SPRESS_TRY(auto ranks, pipeline::Ranks::join());
    if (writes_into_folder(options.inputs(), options.output())) return convert_each(options, ranks);
    return ranks.leads() ? convert_one(options) : ExitCode::good;
  });
}

}  // namespace spress::cli
