#include "cli/file_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "cli/process.hpp"
#include "formats/io/bytes/endings.hpp"
#include "formats/io/bytes/output_file.hpp"
#include "formats/io/readers/file_kinds.hpp"
#include "pipeline/convert.hpp"

namespace spress::cli {
namespace {

namespace fs = std::filesystem;

/// The endings of what an option writes, and what a folder of results holds. A permutation may do without an ending.
struct Kind {
  Writes writes;
  std::string_view what;
  std::vector<std::string> endings;
  std::vector<std::string_view> files;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> list = {
      {Writes::matrix, "a matrix as Matrix Market", io::endings_to_write(io::file_kinds().front()), {}},
      {Writes::converted, "a matrix", pipeline::target_endings(), {}},
      {Writes::container, "a container", {".spress"}, {}},
      {Writes::records, "records, one JSON document a line", {".jsonl", ".json"}, {}},
      {Writes::calibration, "a calibration", {".json"}, {}},
      {Writes::page, "a page", {".html", ".htm"}, {}},
      {Writes::permutation, "a permutation as text", {".txt", ".perm"}, {}},
      {Writes::results, "a folder", {}, {"results.jsonl", "results.csv", "summary.json", "report.html"}},
  };
  return list;
}

const Kind& kind_of(Writes writes) {
  return *std::find_if(kinds().begin(), kinds().end(), [&](const Kind& kind) { return kind.writes == writes; });
}

struct Output {
  std::string option, path;
  fs::path place;         ///< where its links lead, absolute
  struct stat file = {};  ///< what stands there
  bool exists = false;
};

Error refusal(const std::string& path, std::string message) { return {ErrorCode::usage, std::move(message), path, 0}; }

bool same_file(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

bool ends_with_any(const std::string& path, const std::vector<std::string>& endings) {
  const std::string name = fs::path(path).filename();
  return std::any_of(endings.begin(), endings.end(),
                     [&](const std::string& ending) { return name.size() > ending.size() && name.ends_with(ending); });
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// A folder, there or to be made, for what is made of several inputs.
Status check_folder(const std::string& option, const Kind& kind, const std::string& path) {
  std::error_code ignored;
  const bool names_file = fs::exists(path, ignored) || (ends_with_any(path, kind.endings) && !path.ends_with('/'));
  if (is_stream(path) || (names_file && !is_folder(path)))
    return refusal(path, option + " names one file, but there are several inputs: name a folder");
  return Ok{};
}

/// Names `convert` where that writes files with the path's ending and this option does not; else nothing.
std::string remedy(const Kind& kind, const std::string& path) {
  const bool other_kind = kind.writes == Writes::matrix && ends_with_any(path, kind_of(Writes::converted).endings);
  return other_kind ? ", or write that and let 'spress convert' make " + fs::path(path).filename().string() : "";
}

Status check_ending(const FileOption& option, const std::vector<std::string>& inputs, const std::string& path) {
  const Kind& kind = kind_of(*option.writes);
  const std::string name = option.name();
  if (option.or_folder && writes_into_folder(inputs, path)) return check_folder(name, kind, path);
  if (is_stream(path)) return Ok{};
  const bool bare = kind.writes == Writes::permutation && !fs::path(path).has_extension();
  if (!kind.endings.empty() && !bare && !ends_with_any(path, kind.endings))
    return refusal(path, fmt::format("{} writes {}: give a name that ends with {}{}", name, kind.what,
                                     fmt::join(kind.endings, " or "), remedy(kind, path)));
  return Ok{};
}

/// descriptor: 0 for standard input, 1 for standard output; name: that in /dev.
bool is_standard(const std::string& path, const char* name, const std::string& descriptor) {
  const std::string plain = fs::path(path).lexically_normal();
  return plain == "-" || plain == name || plain == "/dev/fd/" + descriptor || plain == "/proc/self/fd/" + descriptor;
}
bool is_standard_output(const std::string& path) { return is_standard(path, "/dev/stdout", "1"); }

/// Standard input, unless the shell has opened a file as that, which is read as often as it is named.
bool is_piped_input(const std::string& path) {
  struct stat found = {};
  return is_standard(path, "/dev/stdin", "0") && !(::fstat(STDIN_FILENO, &found) == 0 && S_ISREG(found.st_mode));
}

Result<Output> output_at(const std::string& option, const fs::path& path) {
  Output out{option, path.string(), {}, {}, false};
  SPRESS_TRY(const fs::path end, io::follow_links(path));
  std::error_code code;
  out.place = fs::weakly_canonical(fs::absolute(end, code), code);
  out.exists = ::stat(path.c_str(), &out.file) == 0;
  return out;
}

/// Adds the files that the option writes to `outputs`.
Status add_outputs(const FileOption& option, const std::string& path, std::vector<Output>& outputs) {
  const std::vector<std::string_view>& files = kind_of(*option.writes).files;
  const std::string name = option.name();
  if (path == "-" && (option.writes == Writes::records || option.writes == Writes::results))
    return refusal(path, name + " does not write to standard output: --json does");
  if (is_standard_output(path) && standard_output_was_closed())
    return refusal(path, "standard output is closed; write to a file");
  if (is_stream(path)) {  // a descriptor may have been opened on a file
    Output out{name, path, {}, {}, false};
    out.exists = !is_standard_output(path) && ::stat(path.c_str(), &out.file) == 0 && S_ISREG(out.file.st_mode);
    if (out.exists) outputs.push_back(std::move(out));
    return Ok{};
  }
  if (files.empty()) {
    SPRESS_TRY(auto output, output_at(name, path));
    outputs.push_back(std::move(output));
  }
  for (std::string_view file : files) {
    SPRESS_TRY(auto output, output_at(name, fs::path(path) / file));
    outputs.push_back(std::move(output));
  }
  return Ok{};
}

Error names_input(const Output& output, const std::string& input) {
  return refusal(output.path, fmt::format("{} would replace the input {}; choose another name", output.option, input));
}

/// Standard output is an output, too, where the shell leads it into a file.
void add_standard_output(std::vector<Output>& outputs) {
  Output out{"standard output", "standard output", {}, {}, false};
  out.exists = ::fstat(STDOUT_FILENO, &out.file) == 0 && S_ISREG(out.file.st_mode);
  if (out.exists) outputs.push_back(std::move(out));
}

/// Refuses an output that is `input` or, where that is a folder, a file below it that could be one.
Status check_input(const std::string& input, const std::vector<Output>& outputs) {
  struct stat found = {};
  if (input.starts_with("gen:") || ::stat(input.c_str(), &found) != 0) return Ok{};
  const auto check = [&](const std::string& path, const struct stat& file) -> Status {
    for (const Output& output : outputs)
      if (output.exists && S_ISREG(file.st_mode) && same_file(output.file, file)) return names_input(output, path);
    return Ok{};
  };
  if (!S_ISDIR(found.st_mode)) return check(input, found);
  if (std::none_of(outputs.begin(), outputs.end(), [](const Output& o) { return o.exists; })) return Ok{};
  std::error_code code;
  for (fs::recursive_directory_iterator it(input, fs::directory_options::skip_permission_denied, code), end;
       !code && it != end; it.increment(code))
    if (const std::string path = it->path(); io::looks_like_matrix(it->path()) && ::stat(path.c_str(), &found) == 0)
      SPRESS_CHECK(check(path, found));
  return Ok{};
}

Status check_pairs(const std::vector<Output>& outputs) {
  for (const Output& a : outputs)
    for (const Output& b : outputs)
      if (&a < &b && ((!a.place.empty() && a.place == b.place) || (a.exists && b.exists && same_file(a.file, b.file))))
        return refusal(b.path, fmt::format("{} and {} name the same file", a.option, b.option));
  return Ok{};
}

}  // namespace

Status check_files(const Registry& registry) {
  const auto for_each_path = [&](bool written, const auto& check) -> Status {
    for (const FileOption& option : registry.files)
      if (option.writes.has_value() == written)
        for (const std::string& path : option.paths()) SPRESS_CHECK(check(option, path));
    return Ok{};
  };
  std::vector<Output> outputs;
  SPRESS_CHECK(
      for_each_path(true, [&](const auto& option, const auto& path) { return add_outputs(option, path, outputs); }));
  add_standard_output(outputs);
  SPRESS_CHECK(check_pairs(outputs));
  SPRESS_CHECK(for_each_path(false, [&](const auto&, const auto& path) { return check_input(path, outputs); }));
  std::vector<std::string> inputs;
  bool is_read = false;
  SPRESS_CHECK(for_each_path(false, [&](const auto& option, const auto& path) -> Status {
    if (is_piped_input(path) && std::exchange(is_read, true))
      return refusal(path, "standard input is named twice, and can be read once; write it to a file first");
    if (option.option.positional()) inputs.push_back(path);  // others are read beside them
    return Ok{};
  }));
  SPRESS_CHECK(
      for_each_path(true, [&](const auto& option, const auto& path) { return check_ending(option, inputs, path); }));
  bool is_taken = false;
  return for_each_path(true, [&](const auto& option, const auto& path) -> Status {
    if (!is_standard_output(path)) return Ok{};
    if (registry.json())
      return refusal(path, option.name() + " and --json both write to standard output; give one of them a file");
    if (std::exchange(is_taken, true)) return refusal(path, "two outputs go to standard output; write one to a file");
    return Ok{};
  });
}

bool is_stream(const std::string& path) { return path == "-" || io::is_device_name(path); }

bool is_one_file(const std::vector<std::string>& inputs) { return inputs.size() == 1 && !is_folder(inputs.front()); }

bool writes_into_folder(const std::vector<std::string>& inputs, const std::string& output) {
  return !is_one_file(inputs) || is_folder(output) || output.ends_with('/');
}

}  // namespace spress::cli
