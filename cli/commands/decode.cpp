#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/file_check.hpp"
#include "cli/file_run.hpp"
#include "formats/io/matrix_market/matrix_market.hpp"
#include "pipeline/source.hpp"

namespace spress::cli {
namespace {

struct Options {
  Common common;
  std::vector<std::string> inputs;
  std::string output;
  JobFlags jobs;
  bool fresh = false;
};

struct Decoded {
  std::string name;
  std::uint64_t rows = 0, cols = 0, nnz = 0;
};

Result<Decoded> decode(const std::string& input, const std::filesystem::path& output, int threads,
                       pipeline::MemoryGate::Share* memory) {
  SPRESS_TRY(const auto matrix, pipeline::load_container(input, threads));
  const auto& a = matrix.csr;
  if (memory != nullptr) memory->correct(2 * byte_totals(a).total());
  SPRESS_CHECK(io::write_matrix_market(view_of(a), matrix.info, output));
  return Decoded{matrix.info.name, a.rows, a.cols, a.nnz};
}

Json& add_shape(Json& out, const Decoded& done) {
  out["rows"] = done.rows;
  out["cols"] = done.cols;
  out["nnz"] = done.nnz;
  return out;
}

Result<int> decode_one(const Options& options) {
  const std::string& input = options.inputs.front();
  SPRESS_TRY(const Decoded done, decode(input, options.output, options.common.threads, nullptr));
  if (options.common.json) {
    Json out = {{"name", done.name}, {"path", input}, {"output", options.output}};
    print_json(add_shape(out, done));
  } else {
    status(options.common, fmt::format("{}: {} x {}, {} entries", options.output, done.rows, done.cols, done.nnz));
  }
  return ExitCode::good;
}

/// A file that a run wrote has the time of its source. Nothing else tells it from a file of the user's.
bool is_ours(const pipeline::Item& item, const std::filesystem::path& target) {
  return changed_at(target) == item.mtime_ns;
}

/// Errors: usage for a target that is there, and that no run made of its source as it is now.
Status check_nothing_is_replaced(const std::vector<pipeline::Item>& items,
                                 const std::vector<std::filesystem::path>& targets) {
  for (std::size_t i = 0; i < items.size(); ++i)
    if (changed_at(targets[i]) >= 0 && !is_ours(items[i], targets[i]))
      return Error{ErrorCode::usage,
                   "is there, and is not what an earlier run made of " + items[i].input +
                       " as it is now; name another folder, or --fresh to replace it",
                   targets[i].string(), 0};
  return Ok{};
}

/// Each input to a file of its own below the folder options.output.
Result<int> decode_each(const Options& options) {
  SPRESS_TRY(const auto items, pipeline::collect(options.inputs, pipeline::Wanted::containers));
  SPRESS_TRY(const auto targets, pipeline::targets_of(items, options.output, ".mtx"));
  SPRESS_TRY(auto files, file_run_options(options.jobs, options.common));
  files.fresh = options.fresh;
  if (!options.fresh) SPRESS_CHECK(check_nothing_is_replaced(items, targets));
  files.is_done = is_ours;
  std::vector<Decoded> results(items.size());
  files.on_outcome = [&](const pipeline::FileOutcome& outcome) {
    tell_outcome(options.common, outcome, items[outcome.item], [&](Json& out) {
      if (outcome.end == pipeline::FileEnd::done) add_shape(out, results[outcome.item]);
    });
  };
  const auto work = [&](std::size_t i, const std::filesystem::path& target, int threads,
                        pipeline::MemoryGate::Share& memory) -> Status {
    SPRESS_CHECK(pipeline::make_folder_of(target));
    SPRESS_TRY(results[i], decode(items[i].input, target, threads, &memory));
    set_change(target, items[i].mtime_ns);
    return Ok{};
  };
  SPRESS_TRY(const auto totals, pipeline::run_files(items, targets, files, work));
  return finish_files(options.common, totals, "written");
}

}  // namespace

void add_decode(Registry& registry) {
  static Options options;
  auto* command =
      registry.add("decode", "Write the matrices of .spress files as Matrix Market, in their original order",
                   "spress encode gen:fem3d,n=20 -o fem.spress\n  spress decode fem.spress -o fem.mtx\n"
                   "  spress encode gen:poisson2d,n=50 gen:circuit -o pressed/\n  spress decode pressed/ -o matrices/",
                   options.common);
  registry.reads(command->add_option("IN", options.inputs, "A .spress file, several, or folders (searched recursively)")
                     ->required());
  registry.writes_each(
      command
          ->add_option("-o,--output", options.output,
                       "File to write: .mtx, .mtx.gz or .mtx.zst; for several inputs or a folder of them, a folder: "
                       "d/a.spress becomes d/a.mtx there, and a file that is there already is replaced only by --fresh")
          ->required(),
      Writes::matrix);
  add_jobs(*command, options.jobs, options.common);
  command->add_flag("--fresh", options.fresh, "Write every file of a folder again, whatever is in its place");
  registry.on(command, [] {
    const auto code = writes_into_folder(options.inputs, options.output) ? decode_each(options) : decode_one(options);
    return code.ok() ? *code : report(code.error());
  });
}

}  // namespace spress::cli
