#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "pipeline/write_reports.hpp"
#include "reports/record_file.hpp"

namespace spress::cli {
namespace {

struct Options {
  Common common;
  std::string input, output;
};

Result<reports::RecordFile> read_records(const std::string& path) {
  std::error_code code;
  if (!std::filesystem::exists(path, code)) return Error{ErrorCode::not_found, "no such file", path, 0};
  if (std::filesystem::is_directory(path, code))
    return Error{ErrorCode::unreadable, "is a folder; give the results.jsonl inside it", path, 0};
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{ErrorCode::unreadable, "cannot be read", path, 0};
  auto read = reports::read_record_file(in);
  if (read.ends_torn && !read.bad_lines.empty()) read.bad_lines.pop_back();  // in work when its run was killed
  if (!read.bad_lines.empty()) return Error{ErrorCode::syntax, read.bad_lines[0].error, path, read.bad_lines[0].number};
  return read;
}

Result<int> run(const Options& options) {
  SPRESS_TRY(const auto file, read_records(options.input));
  const auto& [analyze, measured, bad_lines, ends_torn] = file;
  SPRESS_CHECK(pipeline::write_html_report(analyze, options.input, options.output, measured));
  if (options.common.json)
    print_json({{"path", options.input},
                {"output", options.output},
                {"matrices", analyze.size()},
                {"bench", measured.bench.size()},
                {"transfer", measured.transfer.size()},
                {"solve", measured.solve.size()}});
  else
    status(options.common,
           fmt::format("{}: {} matrices analysed, {} benchmarked, {} sent, {} solved", options.output, analyze.size(),
                       measured.bench.size(), measured.transfer.size(), measured.solve.size()));
  return ExitCode::good;
}

}  // namespace

void add_report(Registry& registry) {
  static Options options;
  auto* command = registry.add("report", "Make the HTML report of an earlier run",
                               "spress report results/results.jsonl -o report.html", options.common);
  command
      ->add_option("RESULTS", options.input,
                   "results.jsonl of 'spress analyze -o', or records of 'bench', 'transfer' and 'solve' (--json)")
      ->required();
  command->add_option("-o,--output", options.output, "HTML file to write")->required();
  registry.on(command, [] {
    const auto code = run(options);
    return code.ok() ? *code : report(code.error());
  });
}

}  // namespace spress::cli
