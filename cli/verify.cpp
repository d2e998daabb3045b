#include "pipeline/verify.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/measuring.hpp"
#include "pipeline/source.hpp"
#include "reports/json.hpp"

namespace spress::cli {
namespace {

struct Options {
  Common common;
  std::string input, formats, device = "cpu";
};

std::string line_of(const reports::MeasureRecord& r) {
  const char* verdict = !r.ok ? "-" : *r.ok ? "ok" : "FAIL";
  const std::string bytes = r.ok || r.total_bytes != 0 ? human_bytes(r.total_bytes) : "-";
  const std::string error = std::isnan(r.max_error_ratio) ? "-" : fmt::format("{:.3g}", r.max_error_ratio);
  return fmt::format("{:<24} {:<7} {:<14} {:>10} {:>12}  {:<4} {}\n",
                     r.format + (r.parameters.empty() ? "" : ":" + r.parameters), r.values, r.type, bytes, error,
                     verdict, r.reason);
}

std::string text_of(const reports::VerifyRecord& record) {
  std::string out =
      fmt::format("{}: {} x {}, {} entries\n{:<24} {:<7} {:<14} {:>10} {:>12}  {:<4}\n", record.path, record.rows,
                  record.cols, record.nnz, "format", "values", "type", "bytes", "error/bound", "ok");
  for (const auto& r : record.formats) out += line_of(r);
  return out;
}

Result<int> run(const Options& options) {
  if (options.device == "cuda")
    return Error{ErrorCode::unsupported, "this version has no products on the GPU yet; use --device cpu", {}, 0};
  pipeline::VerifyOptions how;
  how.threads = options.common.threads;
  SPRESS_TRY(how.formats, parse_formats(options.formats));
  SPRESS_TRY(const auto matrix, pipeline::load(options.input, options.common.threads));
  SPRESS_TRY(const auto record, pipeline::verify(matrix, how));
  print(options.common.json ? reports::to_json_line(record) + "\n" : text_of(record));
  return record.ok ? ExitCode::good : ExitCode::found_false;
}

}  // namespace

void add_verify(Registry& registry) {
  static Options options;
  auto* command = registry.add(
      "verify", "Prove every encoding of a matrix: bits, sizes and products",
      std::string("spress verify gen:stencil27,n=20 --formats csr,opt-csr:index=delta") + isa_note, options.common);
  command->add_option("IN", options.input, "Matrix file, .spress container or gen:NAME,key=value,...")->required();
  command->add_option("--formats", options.formats, "Formats to check (default: all; 'spress list formats')");
  command->add_option("--device", options.device, "cpu or cuda")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  command->add_flag("--no-progress", options.common.no_progress, "Show no progress on a terminal");
  registry.on(command, [] {
    const auto code = run(options);
    return code.ok() ? *code : report(code.error());
  });
}

}  // namespace spress::cli
