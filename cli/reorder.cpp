#include <fmt/format.h>

#include <filesystem>

#include "cli/command.hpp"
#include "formats/io/matrix_market.hpp"
#include "formats/io/output_file.hpp"
#include "pipeline/source.hpp"
#include "reorder/metrics.hpp"
#include "reorder/orderings.hpp"

namespace spress::cli {
namespace {

struct Options {
  Common common;
  std::string input, output, ordering = "rcm", perm;
};

/// One old index (0-based) per line, in the new order.
Result<io::OutputFile> prepare_permutation(const reorder::Permutation& perm, std::uint64_t n, const std::string& path) {
  fmt::memory_buffer text;
  for (std::uint64_t i = 0; i < n; ++i) fmt::format_to(std::back_inserter(text), "{}\n", perm.empty() ? i : perm[i]);
  SPRESS_TRY(auto file, io::OutputFile::create(path));
  SPRESS_CHECK(file.write(text.data(), text.size()));
  return file;
}

/// Writes both files or none.
Status write_results(const Csr<Viewed>& a, const MatrixInfo& info, const reorder::Permutation& perm,
                     const Options& options) {
  if (options.perm.empty()) return io::write_matrix_market(a, info, options.output);
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::weakly_canonical(options.perm, ignored) == fs::weakly_canonical(options.output, ignored))
    return Error{ErrorCode::usage, "--perm and --output name the same file", options.perm, 0};
  SPRESS_TRY(auto permutation, prepare_permutation(perm, a.rows, options.perm));
  SPRESS_CHECK(io::write_matrix_market(a, info, options.output));
  auto done = permutation.commit();
  if (!done.ok() && fs::is_regular_file(options.output, ignored)) fs::remove(options.output, ignored);
  return done;
}

Json json_of(const reorder::EnvelopeMetrics& m) {
  return {{"bandwidth", m.bandwidth},
          {"profile", m.profile},
          {"max_wavefront", m.max_wavefront},
          {"rms_wavefront", m.rms_wavefront}};
}

Result<int> run(const Options& options) {
  SPRESS_CHECK(reorder::find_ordering(options.ordering));
  SPRESS_TRY(const auto matrix, pipeline::load(options.input, options.common.threads));
  const auto a = view_of(matrix.csr);
  auto computed = reorder::compute_ordering(options.ordering, a);
  if (!computed.ok()) {
    computed.error().file = options.input;
    return std::move(computed).error();
  }
  const auto& perm = *computed;
  const auto reordered = reorder::permute(a, perm, perm);
  const auto before = reorder::envelope_metrics(a), after = reorder::envelope_metrics(view_of(reordered));
  SPRESS_CHECK(write_results(view_of(reordered), matrix.info, perm, options));
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
  static Options options;
  auto* command = registry.add("reorder", "Reorder a square matrix symmetrically and write it as Matrix Market",
                               "spress reorder bcsstk13.mtx -o bcsstk13_rcm.mtx --ordering rcm", options.common);
  command->add_option("IN", options.input, "Matrix file, .spress container or gen:NAME,key=value,...")->required();
  command->add_option("-o,--output", options.output, "File to write: .mtx, .mtx.gz or .mtx.zst")->required();
  command->add_option("--ordering", options.ordering, "Ordering ('spress list orderings')")->capture_default_str();
  command->add_option("--perm", options.perm, "File to write the permutation to: old 0-based index of each new row");
  registry.on(command, [] {
    const auto code = run(options);
    return code.ok() ? *code : report(code.error());
  });
}

}  // namespace spress::cli
