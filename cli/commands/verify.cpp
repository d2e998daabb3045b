#include "pipeline/measure/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/choosing.hpp"
#include "cli/loading.hpp"
#include "cli/measuring.hpp"
#include "reports/json/json.hpp"
#include "reports/text/text_table.hpp"

namespace spress::cli {
namespace {

struct Options {
  Common common;
  std::string input, formats, device = "cpu";
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

Result<int> run(const Options& options) {
  pipeline::VerifyOptions how;
  how.threads = options.common.threads;
  bool choose = false;
  SPRESS_TRY(how.formats, parse_with_auto(options.formats, choose));
  SPRESS_TRY(how.device, pipeline::find_device(device_kind(options.device)));
  SPRESS_TRY(const auto matrix, load_matrix(options.common, options.input));
  if (choose) SPRESS_CHECK(add_chosen(options.common, options.device, view_of(matrix.csr), std::nullopt, how.formats));
  SPRESS_TRY(const auto record, pipeline::verify(matrix, how));
  print(options.common.json ? reports::to_json_line(record) + "\n" : text_of(record));
  return record.ok ? ExitCode::good : ExitCode::found_false;
}

}  // namespace

void add_verify(Registry& registry) {
  static Options options;
  auto* command = registry.add("verify", "Prove every encoding of a matrix: sizes, bits and products",
                               std::string("spress verify gen:stencil27,n=20 --formats csr,opt-csr:index=delta\n"
                                           "  spress verify gen:stencil27,n=20 --device cuda") +
                                   isa_note,
                               options.common);
  registry.reads(
      command->add_option("IN", options.input, "Matrix file, .spress file or gen:NAME,key=value,...")->required());
  command
      ->add_option("--formats", options.formats,
                   "Formats to check, a list of 'spress list formats' [all]; auto: the one with the fastest product as "
                   "predicted")
      ->type_name("LIST");
  add_device(*command, options.device);
  command->add_flag("--no-progress", options.common.no_progress, "Show no progress on a terminal");
  registry.on(command, [] {
    const auto code = run(options);
    return code.ok() ? *code : report(code.error());
  });
}

}  // namespace spress::cli
