#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/loading.hpp"
#include "formats/io/bytes/output_file.hpp"
#include "formats/io/matrix_market/matrix_market.hpp"
#include "reorder/core/metrics.hpp"
#include "reorder/orderings.hpp"

namespace spress::cli {
namespace {

struct ReorderArguments {
  Common common;
  std::string input, output, ordering = "rcm", perm, col_perm;
};

/// One old index (0-based) per line, in the new order.
Result<io::OutputFile> prepare_permutation(const reorder::Permutation& perm, std::uint64_t n, const std::string& path) {
  fmt::memory_buffer text;
  for (std::uint64_t i = 0; i < n; ++i) fmt::format_to(std::back_inserter(text), "{}\n", perm.empty() ? i : perm[i]);
  SPRESS_TRY(auto file, io::OutputFile::create(path));
  SPRESS_CHECK(file.write(text.data(), text.size()));
  return file;
}

void remove_files(const std::vector<std::string>& paths) {
  std::error_code ignored;
  for (const auto& path : paths)
    if (std::filesystem::is_regular_file(path, ignored)) std::filesystem::remove(path, ignored);
}

/// Writes all files or none.
Status write_results(const Csr<Viewed>& a, const MatrixInfo& info, const reorder::Reordering& to,
                     const ReorderArguments& options) {
  std::vector<std::pair<std::string, io::OutputFile>> permutations;
  const auto add = [&](const std::string& path, const reorder::Permutation& perm, std::uint64_t n) -> Status {
    if (path.empty()) return Ok{};
    SPRESS_TRY(auto file, prepare_permutation(perm, n, path));
    permutations.emplace_back(path, std::move(file));
    return Ok{};
  };
  SPRESS_CHECK(add(options.perm, to.rows, a.rows));
  SPRESS_CHECK(add(options.col_perm, to.cols, a.cols));
  SPRESS_CHECK(io::write_matrix_market(a, info, options.output));
  std::vector<std::string> written = {options.output};
  for (auto& [path, file] : permutations) {
    auto done = file.commit();
    if (!done.ok()) {
      remove_files(written);
      return done;
    }
    written.push_back(path);
  }
  return Ok{};
}

Json json_of(const reorder::EnvelopeMetrics& m) {
  return {{"bandwidth", m.bandwidth},
          {"profile", m.profile},
          {"max_wavefront", m.max_wavefront},
          {"rms_wavefront", m.rms_wavefront}};
}

Result<int> run(const ReorderArguments& options) {
  SPRESS_CHECK(reorder::find_ordering(options.ordering));
  SPRESS_TRY(const auto matrix, load_matrix(options.common, options.input));
  const auto a = view_of(matrix.csr);
  auto computed = reorder::compute_ordering(options.ordering, a);
  if (!computed.ok()) {
    computed.error().file = options.input;
    return std::move(computed).error();
  }
  const auto reordered = reorder::permute(a, *computed);
  const auto before = reorder::envelope_metrics(a), after = reorder::envelope_metrics(view_of(reordered));
  SPRESS_CHECK(write_results(view_of(reordered), matrix.info, *computed, options));
  if (options.common.json)
    print_json({{"name", matrix.info.name},
                {"path", options.input},
                {"output", options.output},
                {"ordering", options.ordering},
                {"before", json_of(before)},
                {"after", json_of(after)}});
  else
    status(options.common, fmt::format("{}: bandwidth {} -> {}, profile {} -> {}", options.output, before.bandwidth,
                                       after.bandwidth, before.profile, after.profile));
  return ExitCode::good;
}

}  // namespace

void add_reorder(Registry& registry) {
  static ReorderArguments options;
  const Command command =
      registry.add("reorder", "Reorder the rows and columns of a matrix, and write it as Matrix Market",
                   "spress reorder gen:poisson2d,n=50,shuffle=7 -o ordered.mtx --ordering lines", options.common);
  registry.reads(
      command.add_option("IN", options.input, "Matrix file, .spress file or gen:NAME,key=value,...").required());
  registry.writes(
      command.add_option("-o,--output", options.output, "File to write: .mtx, .mtx.gz or .mtx.zst").required(),
      Writes::matrix);
  command.add_option("--ordering", options.ordering, "Ordering to use; 'spress list orderings' lists them")
      .type_name("NAME")
      .shows_default();
  registry.writes(
      command.add_option("--perm", options.perm, "Write the old 0-based number of each new row, one per line"),
      Writes::permutation);
  registry.writes(command.add_option("--col-perm", options.col_perm, "Write the same for columns"),
                  Writes::permutation);
  add_reading(command, options.common);
  registry.on(command, [] { return run(options); });
}

}  // namespace spress::cli
