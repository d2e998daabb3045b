#include <fmt/format.h>

#include "cli/command.hpp"
#include "formats/io/matrix_market/matrix_market.hpp"
#include "pipeline/source.hpp"

namespace spress::cli {
namespace {

struct GenerateArguments {
  Common common;
  std::string name, output;
  std::vector<std::string> parameters;
};

/// gen:NAME,key=value,... from the words of the command line, which may also hold the parameters in one word.
std::string input_of(const GenerateArguments& options) {
  std::string input = options.name.rfind("gen:", 0) == 0 ? options.name : "gen:" + options.name;
  for (const auto& parameter : options.parameters) input += "," + parameter;
  return input;
}

Result<int> run(const GenerateArguments& options) {
  SPRESS_TRY(const auto matrix, pipeline::load(input_of(options), {.threads = options.common.threads}));
  SPRESS_CHECK(io::write_matrix_market(view_of(matrix.csr), matrix.info, options.output));
  const auto& a = matrix.csr;
  if (options.common.json)
    print_json(
        {{"name", matrix.info.name}, {"path", options.output}, {"rows", a.rows}, {"cols", a.cols}, {"nnz", a.nnz}});
  else
    status(options.common, fmt::format("{}: {} x {}, {} entries", options.output, a.rows, a.cols, a.nnz));
  return ExitCode::good;
}

}  // namespace

void add_generate(Registry& registry) {
  static GenerateArguments options;
  const Command command = registry.add("generate", "Write a generated matrix as Matrix Market",
                                       "spress generate stencil27 n=40 values=noise -o stencil.mtx", options.common);
  command.add_option("NAME", options.name, "Generator; 'spress list gallery' lists them").required();
  command.add_option("PARAMETERS", options.parameters, "Parameters of the generator, as key=value");
  registry.writes(
      command.add_option("-o,--output", options.output, "File to write: .mtx, .mtx.gz or .mtx.zst").required(),
      Writes::matrix);
  registry.on(command, [] { return run(options); });
}

}  // namespace spress::cli
