#include <fmt/format.h>

#include "cli/command.hpp"
#include "formats/io/matrix_market/matrix_market.hpp"
#include "pipeline/source.hpp"

namespace spress::cli {
namespace {

struct Options {
  Common common;
  std::string input, output;
};

Result<int> run(const Options& options) {
  SPRESS_TRY(const auto matrix, pipeline::load_container(options.input, options.common.threads));
  SPRESS_CHECK(io::write_matrix_market(view_of(matrix.csr), matrix.info, options.output));
  const auto& a = matrix.csr;
  if (options.common.json)
    print_json({{"name", matrix.info.name},
                {"path", options.input},
                {"output", options.output},
                {"rows", a.rows},
                {"cols", a.cols},
                {"nnz", a.nnz}});
  else
    status(options.common, fmt::format("{}: {} x {}, {} entries", options.output, a.rows, a.cols, a.nnz));
  return ExitCode::good;
}

}  // namespace

void add_decode(Registry& registry) {
  static Options options;
  auto* command =
      registry.add("decode", "Write the matrix of a .spress file as Matrix Market, in its original order",
                   "spress encode gen:fem3d,n=20 -o fem.spress\n  spress decode fem.spress -o fem.mtx", options.common);
  registry.reads(command->add_option("IN", options.input, "A .spress file")->required());
  registry.writes(
      command->add_option("-o,--output", options.output, "File to write: .mtx, .mtx.gz or .mtx.zst")->required(),
      Writes::matrix);
  registry.on(command, [] {
    const auto code = run(options);
    return code.ok() ? *code : report(code.error());
  });
}

}  // namespace spress::cli
