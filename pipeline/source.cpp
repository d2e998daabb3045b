#include "pipeline/source.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "encode/shared/any.hpp"
#include "formats/core/memory.hpp"
#include "formats/gallery/gallery.hpp"
#include "formats/io/bytes/endings.hpp"
#include "formats/io/container/container.hpp"
#include "formats/io/readers/file_kinds.hpp"
#include "reorder/orderings.hpp"

namespace spress::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view generated = "gen:", container_ending = ".spress";

Result<Spec> generated_spec(const std::string& input) {
  // The command line writes gen:NAME,key=value; a spec separates its name by a colon.
  std::string text = input.substr(generated.size());
  if (const auto comma = text.find(','); comma != std::string::npos && text.find(':') > comma) text[comma] = ':';
  return parse_spec(text);
}

/// use(spec) for a generated input; errors name it.
template <class R>
Result<R> of_generated(const std::string& input, Result<R> (*use)(const Spec& spec)) {
  const auto spec = generated_spec(input);
  Result<R> out = spec.ok() ? use(*spec) : Result<R>(spec.error());
  if (!out.ok()) out.error().file = input;
  return out;
}

Result<Matrix> load_generated(const std::string& input) {
  auto matrix = of_generated(input, &gallery::generate);
  if (matrix.ok()) matrix->info.path = input;
  return matrix;
}

Result<Matrix> decoded(const std::shared_ptr<io::InputFile>& file, int threads) {
  const std::string input = file->path().string();
  SPRESS_TRY(auto container, io::read_container(file, threads));
  auto* const as_is = std::get_if<Csr<Owned>>(&container.matrix);
  std::uint64_t sides = 0;
  if (as_is == nullptr) with_any(container.matrix, [&](const auto& f) { sides = f.rows; });
  if (auto fits = fits_memory(4 * sides, "one pointer for each row"); !fits.ok()) {
    fits.error().file = input;
    return std::move(fits).error();
  }
  Matrix matrix;
  matrix.info = container.info.matrix;
  matrix.info.path = input;
  Csr<Owned> stored = as_is != nullptr ? std::move(*as_is) : decode_any(container.matrix);
  if (stored.values.kind != StoreKind::raw) {
    SPRESS_TRY(stored.values, with_store(view_of(stored.values), StoreKind::raw));
  }
  const auto rows = reorder::invert(container.info.row_perm), cols = reorder::invert(container.info.col_perm);
  matrix.csr = rows.empty() && cols.empty() ? std::move(stored) : reorder::permute(view_of(stored), rows, cols);
  return matrix;
}

Item item_of(const fs::path& path) {
  Item item{path.string()};
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return item;
  item.size = static_cast<std::uint64_t>(status.st_size);
  timespec changed = status.st_mtim;
  // Another file may stand behind it next time, so no record of an earlier one may hold.
  if (io::is_device_name(path)) ::clock_gettime(CLOCK_REALTIME, &changed);
  item.mtime_ns = std::int64_t{changed.tv_sec} * 1'000'000'000 + changed.tv_nsec;
  return item;
}

bool is_wanted(const fs::path& path, Wanted wanted) {
  if (path.extension() == container_ending) return wanted != Wanted::sources;
  return wanted != Wanted::containers && io::looks_like_matrix(path);
}

/// What a walk over a folder finds.
struct Walk {
  Wanted wanted;
  std::vector<Item> found = {};
  std::map<std::string, std::size_t> others = {};  ///< files that were passed over, by ending

  /// All that is wanted below a folder, folders not followed through links; what cannot be listed is found as an item,
  /// and so is what is named as a matrix but cannot be reached.
  void below(const fs::path& folder) {
    std::error_code code;
    fs::directory_iterator it(folder, code);
    for (const fs::directory_iterator end; !code && it != end; it.increment(code)) take(*it);
    if (!code) return;
    found.push_back({folder.string()});
    found.back().problem = "this folder cannot be listed: " + code.message();
  }

 private:
  void take(const fs::directory_entry& entry) {
    std::error_code unknown, ignored;
    if (entry.is_directory(ignored)) {
      if (entry.is_symlink(ignored))
        ++others["links to folders"];
      else
        below(entry.path());
    } else if (!is_wanted(entry.path(), wanted)) {
      ++others[entry.path().extension()];
    } else if (entry.is_regular_file(unknown) || unknown) {
      found.push_back(item_of(entry.path()));
    } else {
      ++others["pipes and devices"];
    }
  }
};

/// "34 files of other kinds were passed over: .txt 20, .mat 14", the most frequent first.
std::string text_of(const std::map<std::string, std::size_t>& others) {
  std::vector<std::pair<std::string, std::size_t>> kinds(others.begin(), others.end());
  std::stable_sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::size_t files = 0;
  std::string list;
  constexpr std::size_t most = 8;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    files += kinds[k].second;
    if (k < most)
      list += fmt::format("{}{} {}", k == 0 ? "" : ", ", kinds[k].first.empty() ? "no ending" : kinds[k].first,
                          kinds[k].second);
  }
  if (kinds.size() > most) list += fmt::format(" and {} more kinds", kinds.size() - most);
  return fmt::format("{} file{} of other kinds passed over: {}", files, files == 1 ? "" : "s", list);
}

/// All items below a folder, in the order of names.
std::vector<Item> items_below(const std::string& folder, Wanted wanted,
                              const std::function<void(const std::string&)>& on_note) {
  Walk walk{wanted};
  walk.below(folder);
  std::sort(walk.found.begin(), walk.found.end(), [](const Item& a, const Item& b) { return a.input < b.input; });
  for (Item& item : walk.found) item.below = fs::path(item.input).lexically_relative(folder).string();
  if (!walk.others.empty() && on_note) on_note(folder + ": " + text_of(walk.others));
  return std::move(walk.found);
}

/// What a walk picks up, for messages.
std::string endings_of(Wanted wanted) {
  if (wanted == Wanted::containers) return std::string(container_ending);
  return io::input_endings() + (wanted == Wanted::matrices ? ", " + std::string(container_ending) : "");
}

Result<std::shared_ptr<io::InputFile>> open(const std::string& input) {
  auto file = io::InputFile::open(input);
  if (!file.ok()) file.error().file = input;
  return file;
}

Result<std::uint64_t> scalar(const io::ContainerHead& head, std::string_view name, const std::string& input) {
  for (const auto& [key, text] : head.scalars) {
    std::uint64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (key == name && read.ec == std::errc() && read.ptr == text.data() + text.size()) return value;
  }
  return Error{ErrorCode::damaged, fmt::format("the descriptor lacks the number '{}'", name), input, 0};
}

}  // namespace

bool is_generated(std::string_view input) { return input.substr(0, generated.size()) == generated; }

Result<Matrix> load(const std::string& input, const io::ReadOptions& options) {
  if (is_generated(input)) {
    SPRESS_CHECK(io::check_no_part(input, options.part));
    return load_generated(input);
  }
  SPRESS_TRY(const auto file, open(input));
  if (!io::is_container(*file) && file->path().extension() != container_ending) return io::read_matrix(file, options);
  SPRESS_CHECK(io::check_no_part(input, options.part));
  return decoded(file, options.threads);
}

bool is_container_file(const std::string& input) {
  std::error_code ignored;
  if (!fs::is_regular_file(input, ignored)) return false;
  const auto file = io::InputFile::open(input);
  return file.ok() && io::is_container(**file);
}

Result<Matrix> load_container(const std::string& input, int threads) {
  SPRESS_TRY(const auto file, open(input));
  return decoded(file, threads);
}

Result<LoadedRows> load_rows(const std::string& input, std::span<const io::RowSpan> rows, int threads) {
  SPRESS_TRY(const auto file, open(input));
  LoadedRows out;
  out.file_bytes = file->size();
  SPRESS_TRY(auto read, io::read_rows(file, rows, threads));
  if (read) {
    out.bytes_read = read->bytes_read;
    out.seekable = true;
    out.matrix = {std::move(read->info), std::move(read->csr)};
    out.matrix.info.path = input;
    return out;
  }
  SPRESS_TRY(out.matrix, decoded(file, threads));
  out.bytes_read = out.file_bytes;
  auto some = io::rows_of(view_of(out.matrix.csr), rows);
  if (!some.ok()) {
    some.error().file = input;
    return std::move(some).error();
  }
  out.matrix.csr = std::move(some).value();
  out.matrix.info = io::info_of_rows(std::move(out.matrix.info), out.matrix.csr.nnz);
  return out;
}

Result<Shape> read_shape(const std::string& input) {
  SPRESS_TRY(const auto head, io::read_container_head(input));
  Shape shape;
  SPRESS_TRY(shape.rows, scalar(head, "rows", input));
  SPRESS_TRY(shape.cols, scalar(head, "cols", input));
  SPRESS_TRY(shape.nnz, scalar(head, "nnz", input));
  return shape;
}

Result<std::optional<gallery::Problem>> load_problem(const std::string& input) {
  if (!is_generated(input)) return std::optional<gallery::Problem>();
  SPRESS_TRY(const auto spec, generated_spec(input));
  return gallery::problem_of(spec);
}

Status check_generated(const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs)
    if (is_generated(input)) SPRESS_CHECK(of_generated(input, &gallery::check));
  return Ok{};
}

Result<std::vector<Item>> collect(const std::vector<std::string>& paths, Wanted wanted,
                                  const std::function<void(const std::string&)>& on_note) {
  std::vector<Item> items;
  std::set<std::string> seen;
  const auto add = [&](Item item) {
    if (seen.insert(is_generated(item.input) ? item.input : fs::absolute(item.input).lexically_normal().string())
            .second)
      items.push_back(std::move(item));
  };
  for (const std::string& path : paths) {
    if (is_generated(path)) {
      Item item{path};
      item.below = name_of_input(path);
      std::replace(item.below.begin(), item.below.end(), '/', '_');
      add(std::move(item));
      continue;
    }
    std::error_code code;
    const auto status = fs::status(path, code);
    if (status.type() == fs::file_type::not_found)
      return Error{ErrorCode::not_found, "no such file or folder", path, 0};
    if (!fs::exists(status)) return Error{ErrorCode::unreadable, "cannot be read: " + code.message(), path, 0};
    if (fs::is_directory(status)) {
      for (Item& item : items_below(path, wanted, on_note)) add(std::move(item));
    } else {
      Item item = item_of(path);
      item.below = fs::path(path).filename();
      add(std::move(item));
    }
  }
  if (items.empty())
    return Error{ErrorCode::usage, "no matrices here (" + endings_of(wanted) + ")", paths.empty() ? "" : paths[0], 0};
  return items;
}

std::string name_of_input(const std::string& input) {
  return is_generated(input) ? input.substr(generated.size()) : io::matrix_name(input);
}

std::uint64_t expected_memory(const Item& item) {
  if (item.size == 0) return std::numeric_limits<std::uint64_t>::max();  // generated, or a pipe
  const fs::path path(item.input);
  const bool packed = io::may_be_compressed(path) || path.extension() == container_ending;
  constexpr std::uint64_t least = 32u << 20;
  return least + item.size * (packed ? 16 : 4);
}

}  // namespace spress::pipeline
