#include <fmt/format.h>

#include "cli/choosing.hpp"
#include "cli/command.hpp"
#include "cli/loading.hpp"
#include "encode/shared/any.hpp"
#include "pipeline/compress.hpp"
#include "reorder/orderings.hpp"
#include "reports/json/json.hpp"

namespace spress::cli {
namespace {

struct Options {
  Common common;
  std::string input, output, format = "auto", ordering = "none", values = "auto", goal = "size", device = "cpu";
  int level = 6;
  bool exact = false;
};

Result<pipeline::CompressOptions> compress_options(const Options& options) {
  pipeline::CompressOptions out;
  if (options.format != "auto") {
    SPRESS_TRY(auto spec, parse_spec(options.format));
    SPRESS_CHECK(check_format(spec));
    out.format = std::move(spec);
  }
  SPRESS_TRY(out.values, parse_store(options.values));
  if (options.ordering != "auto") SPRESS_CHECK(reorder::find_ordering(options.ordering));
  out.ordering = options.ordering;
  out.goal = parse_goal(options.goal);
  if (out.goal != Goal::size) {
    SPRESS_TRY(out.calibration, calibration_for(options.device));
    SPRESS_CHECK(check_goal(out.goal, *out.calibration));
  }
  out.all_exact = options.exact;
  out.level = options.level;
  out.threads = options.common.threads;
  return out;
}

Result<int> run(const Options& options) {
  SPRESS_TRY(const auto how, compress_options(options));
  SPRESS_TRY(const auto matrix, load_matrix(options.common, options.input));
  auto done = pipeline::compress(matrix, how, options.output);
  if (!done.ok()) {
    if (done.error().file.empty()) done.error().file = options.input;
    return std::move(done).error();
  }
  const double ratio =
      done->csr_bytes == 0 ? 1 : static_cast<double>(done->encoded_bytes) / static_cast<double>(done->csr_bytes);
  if (options.common.json)
    print_json({{"name", matrix.info.name},
                {"path", options.input},
                {"output", options.output},
                {"format", done->format},
                {"parameters", done->parameters},
                {"ordering", done->ordering},
                {"values", done->values},
                {"csr_bytes", done->csr_bytes},
                {"total_bytes", done->encoded_bytes},
                {"ratio_to_csr", ratio},
                {"file_bytes", done->file_bytes},
                {"seconds", done->seconds},
                {"choice", Json::Verbatim{reports::to_json_line(done->choice)}}});
  else
    status(options.common,
           fmt::format("{}: {}{}{}, values {}, ordering {}: {} in memory ({:.3f} of CSR), {} on disk", options.output,
                       done->format, done->parameters.empty() ? "" : ":", done->parameters, done->values,
                       done->ordering, human_bytes(done->encoded_bytes), ratio, human_bytes(done->file_bytes)));
  return ExitCode::good;
}

/// "none, rcm or apart": the orderings that auto tries.
std::string orderings_of_auto() {
  std::vector<std::string_view> names = {"none"};
  for (const auto& ordering : reorder::orderings())
    if (ordering.tried_by.auto_choice) names.push_back(ordering.name);
  const std::string_view last = names.back();
  names.pop_back();
  return fmt::format("{} or {}", fmt::join(names, ", "), last);
}

}  // namespace

void add_encode(Registry& registry) {
  static Options options;
  auto* command = registry.add("encode", "Write a matrix in a compact format, as a .spress file",
                               "spress encode gen:fem3d,n=20 -o fem.spress", options.common);
  registry.reads(
      command->add_option("IN", options.input, "Matrix file, .spress file or gen:NAME,key=value,...")->required());
  registry.writes(command->add_option("-o,--output", options.output, "File to write: .spress")->required(),
                  Writes::container);
  command
      ->add_option(
          "--format", options.format,
          "Format, as NAME[:key=value,...] of 'spress list formats'; auto: the best one by --for that multiplies fast")
      ->type_name("FORMAT")
      ->capture_default_str();
  command
      ->add_option("--ordering", options.ordering,
                   "Ordering, as NAME of 'spress list orderings'; auto: the best of " + orderings_of_auto() +
                       " by --for, and never more bytes than none")
      ->type_name("NAME")
      ->capture_default_str();
  command
      ->add_option("--values", options.values,
                   "Value store: raw, narrow, lut8, lut16, iso; auto: the best one by --for")
      ->type_name("STORE")
      ->capture_default_str();
  add_goal(*command, options.goal);
  add_device(*command, options.device);
  command->add_flag("--exact", options.exact,
                    "Let auto compare exact sizes of all candidates, not estimates from a sample");
  command->add_option("--level", options.level, "Compression level of zstd, 1 to 22")
      ->type_name("N")
      ->check(CLI::Range(1, 22))
      ->capture_default_str();
  registry.on(command, [] {
    const auto code = run(options);
    return code.ok() ? *code : report(code.error());
  });
}

}  // namespace spress::cli
