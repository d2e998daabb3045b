#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/file_check.hpp"
#include "cli/file_run.hpp"
#include "formats/io/bytes/digits.hpp"
#include "formats/io/bytes/text_file.hpp"
#include "formats/io/matrix_market/matrix_market.hpp"
#include "pipeline/source.hpp"

namespace spress::cli {
namespace {

struct DecodeArguments {
  Common common;
  std::vector<std::string> inputs;
  std::string output, rows, rows_from;
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

Result<int> decode_one(const DecodeArguments& options) {
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

/// "A:B". Errors: usage.
Result<std::vector<io::RowSpan>> parse_rows(const std::string& text) {
  const auto colon = text.find(':');
  const auto first = io::parse_number(text.substr(0, colon), 10);
  const auto last = io::parse_number(colon == std::string::npos ? "" : text.substr(colon + 1), 10);
  if (first && last && *first <= *last) return std::vector<io::RowSpan>{{*first, *last}};
  return Error{ErrorCode::usage,
               "--rows '" + text + "': expected A:B, the first row counted from 0, and the row behind the last one"};
}

/// The numbers in a file, with blanks or newlines between them. Errors: those of read_text, syntax.
Result<std::vector<io::RowSpan>> read_row_numbers(const std::string& path) {
  SPRESS_TRY(const std::string text, io::read_text(path));
  std::vector<io::RowSpan> rows;
  std::uint64_t line = 1;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find_first_of(" \t\r\n", at), text.size());
    if (end > at) {
      const auto row = io::parse_number(std::string_view(text).substr(at, end - at), 10);
      if (!row)
        return Error{ErrorCode::syntax,
                     "'" + text.substr(at, std::min<std::size_t>(end - at, 40)) +
                         "' is no row number; expected numbers from 0, one in a line",
                     path, line};
      if (!rows.empty() && rows.back().last == *row)
        ++rows.back().last;
      else
        rows.push_back({*row, *row + 1});
    }
    if (end < text.size() && text[end] == '\n') ++line;
    at = end + 1;
  }
  return rows;
}

/// Some rows of one file.
Result<int> decode_rows(const DecodeArguments& options) {
  std::error_code ignored;
  if (options.inputs.size() != 1 || std::filesystem::is_directory(options.inputs.front(), ignored))
    return Error{ErrorCode::usage, "--rows and --rows-from read one .spress file; name one"};
  const std::string& input = options.inputs.front();
  SPRESS_TRY(const auto rows, options.rows.empty() ? read_row_numbers(options.rows_from) : parse_rows(options.rows));
  SPRESS_TRY(const auto read, pipeline::load_rows(input, rows, options.common.threads));
  const auto& a = read.matrix.csr;
  SPRESS_CHECK(io::write_matrix_market(view_of(a), read.matrix.info, options.output));
  if (options.common.json) {
    print_json({{"name", read.matrix.info.name},
                {"path", input},
                {"output", options.output},
                {"rows", a.rows},
                {"cols", a.cols},
                {"nnz", a.nnz},
                {"bytes_read", read.file_bytes == 0 ? Json() : Json(read.bytes_read)},
                {"file_bytes", read.file_bytes == 0 ? Json() : Json(read.file_bytes)}});
  } else {
    const std::string bytes =
        read.file_bytes == 0 ? "all of a stream"
                             : fmt::format("{} of {}{}", human_bytes(read.bytes_read), human_bytes(read.file_bytes),
                                           read.seekable ? "" : " (encode --seekable reads less)");
    status(options.common,
           fmt::format("{}: {} x {}, {} entries; read {}", options.output, a.rows, a.cols, a.nnz, bytes));
  }
  return ExitCode::good;
}

/// Each input to a file of its own below the folder options.output.
Result<int> decode_each(const DecodeArguments& options, pipeline::Ranks& ranks) {
  SPRESS_TRY(auto list, pipeline::share_files(ranks, options.output, [&]() -> Result<pipeline::FileList> {
               SPRESS_TRY(auto all, files_below(options.output, ".mtx",
                                                pipeline::collect(options.inputs, pipeline::Wanted::containers)));
               if (!options.fresh) SPRESS_CHECK(check_nothing_is_replaced(all, {}));
               return all;
             }));
  if (!list) return ExitCode::good;
  const auto& items = list->items;
  SPRESS_TRY(auto files, file_run_options(options.jobs, options.common, ranks, list->queue()));
  files.fresh = options.fresh;
  files.is_done = [](const auto& item, const auto& target) { return is_ours(item, {}, target); };
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
    mark_as_ours(items[i], {}, target);
    return Ok{};
  };
  return finish_files(options.common, ranks, pipeline::run_files(items, list->targets, files, work), "written");
}

}  // namespace

void add_decode(Registry& registry) {
  static DecodeArguments options;
  const Command command =
      registry.add("decode", "Write the matrices of .spress files as Matrix Market, in their original order",
                   "spress encode gen:fem3d,n=20 -o fem.spress\n  spress decode fem.spress -o fem.mtx\n"
                   "  spress encode gen:poisson2d,n=50 gen:circuit -o encoded/\n  spress decode encoded/ -o matrices/",
                   options.common);
  registry.reads(command.add_option("IN", options.inputs, "A .spress file, several, or folders (searched recursively)")
                     .required());
  registry.writes_each(
      command
          .add_option("-o,--output", options.output,
                      "File to write: .mtx, .mtx.gz or .mtx.zst; for several inputs or a folder of them, a folder: "
                      "d/a.spress becomes d/a.mtx there, and a file that is there already is replaced only by --fresh")
          .required(),
      Writes::matrix);
  const Option rows =
      command.add_option("--rows", options.rows, "Only the rows A to B-1, counted from 0, as a matrix of B-A rows")
          .type_name("A:B");
  registry.reads(command
                     .add_option("--rows-from", options.rows_from,
                                 "Only the rows whose numbers, from 0, this file lists, in its order")
                     .type_name("FILE")
                     .excludes(rows));
  add_jobs(command, options.jobs, options.common);
  command.add_flag("--fresh", options.fresh, "Write every file of a folder again, whatever is in its place");
  registry.on(command, []() -> Result<int> {
    const bool some = !options.rows.empty() || !options.rows_from.empty();
    SPRESS_TRY(auto ranks, pipeline::Ranks::join());
    if (!some && writes_into_folder(options.inputs, options.output)) return decode_each(options, ranks);
    if (!ranks.leads()) return ExitCode::good;
    return some ? decode_rows(options) : decode_one(options);
  });
}

}  // namespace spress::cli
