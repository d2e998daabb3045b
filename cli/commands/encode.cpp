#include <fmt/format.h>

#include "cli/choosing.hpp"
#include "cli/command.hpp"
#include "cli/file_check.hpp"
#include "cli/file_run.hpp"
#include "cli/loading.hpp"
#include "encode/shared/any.hpp"
#include "formats/io/container/container.hpp"
#include "pipeline/collection/collection.hpp"
#include "pipeline/compress.hpp"
#include "pipeline/stream/encode_stream.hpp"
#include "reorder/orderings.hpp"
#include "reports/json/json.hpp"

namespace spress::cli {
namespace {

struct EncodeArguments {
  Common common;
  std::vector<std::string> inputs;
  JobFlags jobs;
  bool fresh = false;
  std::string output, format = "auto", ordering = "none", values = "auto", goal = "file", device = "cpu";
  int level = 6;
  bool exact = false, seekable = false, no_comments = false, stream = false;
};

bool names_a_store(const EncodeArguments& options) {
  return options.values != "auto" || options.exact || options.device != "cpu";
}

/// Options that mean nothing for a file of version 2, or only for one. Errors: usage.
Status check_options(const EncodeArguments& options, bool for_file) {
  const auto usage = [](const char* message) { return Error{ErrorCode::usage, message}; };
  if (!for_file && options.seekable)
    return usage("--seekable goes with --for file alone, and without --format: files of formats are read whole");
  if (options.seekable && options.ordering != "none")
    return usage("--seekable keeps the original order of rows, so that some can be read: leave --ordering away");
  if (options.stream && !for_file)
    return usage("--stream goes with --for file alone, and without --format: formats are made of whole matrices");
  if (options.stream && options.ordering != "none")
    return usage("--stream keeps the original order, since orderings need the whole matrix: leave --ordering away");
  if (for_file && names_a_store(options))
    return usage("--values, --exact and --device choose among formats, and --for file takes none of them");
  return Ok{};
}

Result<pipeline::CompressOptions> compress_options(const EncodeArguments& options) {
  pipeline::CompressOptions out;
  out.for_file = options.goal == "file" && options.format == "auto";
  out.seekable = options.seekable;
  SPRESS_CHECK(check_options(options, out.for_file));
  if (options.format != "auto") {
    SPRESS_TRY(auto spec, parse_spec(options.format));
    SPRESS_CHECK(check_format(spec));
    out.format = std::move(spec);
  }
  SPRESS_TRY(out.values, parse_store(options.values));
  if (options.ordering != "auto") SPRESS_CHECK(reorder::find_ordering(options.ordering));
  out.ordering = options.ordering;
  SPRESS_TRY(out.goal, parse_goal(options.goal == "file" ? "memory" : options.goal));
  if (out.goal != Goal::memory) {
    SPRESS_TRY(out.calibration, pipeline::calibration_here(device_kind(options.device)));
    SPRESS_CHECK(pipeline::check_goal(out.goal, *out.calibration));
  }
  out.all_exact = options.exact;
  out.level = options.level;
  out.comments = !options.no_comments;
  out.threads = options.common.threads;
  return out;
}

double part_of_csr(std::uint64_t bytes, const pipeline::CompressResult& done) {
  return done.csr_bytes == 0 ? 1 : static_cast<double>(bytes) / static_cast<double>(done.csr_bytes);
}
double ratio_of(const pipeline::CompressResult& done) { return part_of_csr(done.encoded_bytes, done); }

Json& add_result(Json& out, const pipeline::CompressResult& done) {
  out["format"] = done.format;
  out["parameters"] = done.parameters;
  out["ordering"] = done.ordering;
  out["values"] = done.values;
  out["csr_bytes"] = done.csr_bytes;
  out["total_bytes"] = done.encoded_bytes;
  out["ratio_to_csr"] = ratio_of(done);
  out["file_bytes"] = done.file_bytes;
  out["seconds"] = done.seconds;
  return out;
}

/// How the matrices of a run are read and written.
struct Encoding {
  pipeline::CompressOptions how;
  std::optional<pipeline::StreamOptions> stream;
};

/// Encodes one input. ready: called before anything is written, with the matrix where it is all in memory, else null.
Result<pipeline::CompressResult> encode_input(
    const EncodeArguments& options, const Encoding& encoding, const std::string& input,
    const std::filesystem::path& target,
    const std::function<Status(const Matrix*)>& ready = [](const Matrix*) { return Status(Ok{}); }) {
  if (!encoding.stream) {
    SPRESS_TRY(const auto matrix, load_matrix(options.common, input, encoding.how.threads));
    SPRESS_CHECK(ready(&matrix));
    return pipeline::compress(matrix, encoding.how, target);
  }
  io::ReadOptions reading = options.common.reading;
  reading.threads = encoding.how.threads;
  SPRESS_CHECK(ready(nullptr));
  std::string note;
  auto done = pipeline::encode_stream(input, reading, encoding.how, *encoding.stream, target, note);
  tell_note(options.common, input, note);
  return done;
}

Result<int> encode_one(const EncodeArguments& options, const Encoding& encoding) {
  const std::string& input = options.inputs.front();
  const pipeline::CompressOptions& how = encoding.how;
  auto done = encode_input(options, encoding, input, options.output);
  if (!done.ok()) {
    if (done.error().file.empty()) done.error().file = input;
    return std::move(done).error();
  }
  if (options.common.json) {
    Json out = {{"name", done->name}, {"path", input}, {"output", options.output}};
    add_result(out, *done);
    if (!how.for_file) out["choice"] = Json::Verbatim{reports::to_json_line(done->choice)};
    print_json(out);
  } else if (how.for_file) {
    status(options.common,
           fmt::format("{}: {} entries, ordering {}: {} ({:.3f} of CSR)", options.output, done->nnz, done->ordering,
                       human_bytes(done->file_bytes), part_of_csr(done->file_bytes, *done)));
  } else {
    status(options.common, fmt::format("{}: {}{}{}, values {}, ordering {}: {} in memory ({:.3f} of CSR), {} on disk",
                                       options.output, done->format, done->parameters.empty() ? "" : ":",
                                       done->parameters, done->values, done->ordering, human_bytes(done->encoded_bytes),
                                       ratio_of(*done), human_bytes(done->file_bytes)));
  }
  return ExitCode::good;
}

/// Errors: usage for a target that is there and is no .spress file, or holds a matrix of another name. A matrix that an
/// earlier run wrote may be replaced: made_from tells that it did.
Status check_targets(const pipeline::FileList& list) {
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const pipeline::Item& item = list.items[i];
    const std::filesystem::path& target = list.targets[i];
    if (changed_at(target) < 0) continue;
    const auto file = io::InputFile::open(target);
    if (!file.ok() || !io::is_container(**file)) return in_the_way(target, "is no .spress file");
    if (item.mtime_ns == 0) continue;
    const auto head = io::read_container_head(target);
    if (!head.ok() || !head->info.made_from.empty()) continue;
    const std::string source = pipeline::name_of_input(item.input);
    if (const std::string& held = head->info.matrix.name; held != source && held != target.stem().string())
      return in_the_way(target, fmt::format("holds the matrix {}, not {}", held, source));
  }
  return Ok{};
}

/// Each input to a file of its own below the folder options.output.
Result<int> encode_each(const EncodeArguments& options, const Encoding& encoding, pipeline::Ranks& ranks) {
  const pipeline::CompressOptions& how = encoding.how;
  const std::string how_text = how.text() + options.common.reading.text();
  SPRESS_TRY(auto list, pipeline::share_files(ranks, options.output, [&]() -> Result<pipeline::FileList> {
               SPRESS_TRY(auto all, files_below(options.output, ".spress",
                                                pipeline::collect(options.inputs, pipeline::Wanted::sources,
                                                                  note_to(options.common))));
               if (!options.fresh) SPRESS_CHECK(check_targets(all));
               return all;
             }));
  if (!list) return ExitCode::good;
  const auto& items = list->items;
  SPRESS_TRY(auto files, file_run_options(options.jobs, options.common, ranks, list->queue()));
  files.fresh = options.fresh;
  if (encoding.stream) files.jobs.jobs = 1, files.jobs.memory_of_each = encoding.stream->memory;
  files.is_done = [&](const pipeline::Item& item, const std::filesystem::path& target) {
    const auto head = io::check_container(target, 1);
    if (!head.ok()) return false;
    if (!head->info.made_from.empty()) return head->info.made_from == made_from(item, how_text);
    return item.mtime_ns != 0 && changed_at(target) >= item.mtime_ns && (head->format == "matrix") == how.for_file;
  };
  std::vector<pipeline::CompressResult> results(items.size());
  files.on_outcome = [&](const pipeline::FileOutcome& outcome) {
    tell_outcome(options.common, outcome, items[outcome.item], [&](Json& out) {
      if (outcome.end == pipeline::FileEnd::done) add_result(out, results[outcome.item]);
    });
  };
  const auto encode = [&](std::size_t i, const std::filesystem::path& target, int threads,
                          pipeline::MemoryGate::Share& memory) -> Status {
    Encoding of_item = encoding;
    of_item.how.threads = threads;
    of_item.how.made_from = made_from(items[i], how_text);
    SPRESS_TRY(results[i], encode_input(options, of_item, items[i].input, target, [&](const Matrix* matrix) {
                 if (matrix != nullptr) memory.correct(4 * byte_totals(matrix->csr).total());
                 return pipeline::make_folder_of(target);
               }));
    return Ok{};
  };
  return finish_files(options.common, ranks, pipeline::run_files(items, list->targets, files, encode), "written");
}

Result<int> run(const EncodeArguments& options) {
  Encoding encoding;
  SPRESS_TRY(encoding.how, compress_options(options));
  const bool into_folder = writes_into_folder(options.inputs, options.output);
  if (options.stream) {
    const std::filesystem::path output = options.output;
    SPRESS_TRY(encoding.stream, stream_options(options.jobs, into_folder ? output : "." / output.parent_path()));
  }
  SPRESS_TRY(auto ranks, pipeline::Ranks::join());
  if (encoding.stream) share_memory(*encoding.stream, options.jobs, ranks);
  if (into_folder) return encode_each(options, encoding, ranks);
  return ranks.leads() ? encode_one(options, encoding) : ExitCode::good;
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
  static EncodeArguments options;
  const Command command = registry.add(
      "encode", "Write matrices in a compact format, as .spress files",
      "spress encode gen:fem3d,n=20 -o fem.spress\n  spress encode gen:poisson2d,n=50 gen:circuit -o encoded/",
      options.common);
  registry.reads(command
                     .add_option("IN", options.inputs,
                                 "Matrix files, .spress files, folders (searched recursively) or "
                                 "gen:NAME,key=value,...")
                     .required());
  registry.writes_each(
      command
          .add_option("-o,--output", options.output,
                      "File to write: .spress; for several inputs or a folder of them, a folder: d/a.mtx becomes "
                      "d/a.spress there, and a sound file that an earlier run made of the same source is kept")
          .required(),
      Writes::container);
  command
      .add_option("--format", options.format,
                  "Format to store as it is, as NAME[:key=value,...] of 'spress list formats'; auto: what --for says")
      .type_name("FORMAT")
      .shows_default();
  command
      .add_option("--ordering", options.ordering,
                  "Ordering, as NAME of 'spress list orderings'; auto: the best of " + orderings_of_auto() +
                      " by --for, and never more bytes than none")
      .type_name("NAME")
      .shows_default();
  command
      .add_option("--values", options.values,
                  "Value store of a format: raw, narrow, lut8, lut16, iso; auto: the best one by --for")
      .type_name("STORE")
      .shows_default();
  const Option goal = add_goal(command, options.goal, true);
  add_device(command, options.device);
  command.add_flag("--exact", options.exact,
                   "Let auto compare exact sizes of all candidates, not estimates from a sample");
  command.add_option("--level", options.level, "Compression level of zstd, 1 to 22")
      .type_name("N")
      .whole_number(1, 22)
      .shows_default();
  command.add_flag("--seekable", options.seekable,
                   "Let rows be read without those before them: small blocks, both triangles; a larger file");
  add_stream(command, options.stream,
             "The file is the same, except where only the pattern is symmetric, or a table of values is large");
  command.add_flag("--no-comments", options.no_comments, "Leave out the comments of a Matrix Market file");
  add_jobs(command, options.jobs, options.common);
  command.add_flag("--fresh", options.fresh, "Write every file of a folder again");
  add_reading(command, options.common);
  registry.on(command, [goal] {
    // These options choose among formats, so whoever gives one wants a format.
    if (!goal.given() && names_a_store(options)) options.goal = "memory";
    return run(options);
  });
}

}  // namespace spress::cli
