#include "pipeline/source.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include "encode/any.hpp"
#include "formats/gallery/gallery.hpp"
#include "formats/io/container.hpp"
#include "formats/io/matrix_market.hpp"
#include "reorder/orderings.hpp"

namespace spress::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view generated = "gen:";

bool is_generated(std::string_view input) { return input.substr(0, generated.size()) == generated; }

Result<Matrix> load_generated(const std::string& input) {
  // The command line writes gen:NAME,key=value; a spec separates its name by a colon.
  std::string text = input.substr(generated.size());
  if (const auto comma = text.find(','); comma != std::string::npos && text.find(':') > comma) text[comma] = ':';
  SPRESS_TRY(auto spec, parse_spec(text));
  SPRESS_TRY(auto matrix, gallery::generate(spec));
  matrix.info.path = input;
  return matrix;
}

Result<Matrix> load_container(const std::string& input, int threads) {
  SPRESS_TRY(auto container, io::read_container(input, threads));
  Matrix matrix;
  matrix.info = container.info.matrix;
  matrix.info.path = input;
  Csr<Owned> stored = decode_any(container.matrix);
  if (stored.values.kind != StoreKind::raw) {
    SPRESS_TRY(stored, with_values(view_of(stored), StoreKind::raw));
  }
  const auto rows = reorder::invert(container.info.row_perm), cols = reorder::invert(container.info.col_perm);
  matrix.csr = rows.empty() && cols.empty() ? std::move(stored) : reorder::permute(view_of(stored), rows, cols);
  return matrix;
}

Error unreadable(const fs::path& path, const std::error_code& code) {
  return {ErrorCode::unreadable, code.message(), path.string(), 0};
}

Item item_of(const fs::path& path) {
  std::error_code ignored;
  Item item{path.string(), 0, 0};
  item.size = fs::file_size(path, ignored);
  if (ignored) item.size = 0;
  const auto time = fs::last_write_time(path, ignored);
  if (!ignored) item.mtime_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
  return item;
}

Status walk(const fs::path& folder, std::vector<fs::path>& found) {
  std::error_code code;
  for (fs::recursive_directory_iterator it(folder, code), end; it != end; it.increment(code)) {
    if (code) break;
    std::error_code ignored;
    if (it->is_regular_file(ignored) && io::looks_like_matrix(it->path())) found.push_back(it->path());
  }
  if (code) return unreadable(folder, code);
  return Ok{};
}

}  // namespace

Result<Matrix> load(const std::string& input, int threads) {
  if (is_generated(input)) return load_generated(input);
  if (io::is_container(input)) return load_container(input, threads);
  return io::read_matrix_market(input, {.threads = threads});
}

Result<std::vector<Item>> collect(const std::vector<std::string>& paths) {
  std::vector<Item> items;
  std::set<std::string> seen;
  const auto add = [&](Item item) {
    if (seen.insert(is_generated(item.input) ? item.input : fs::path(item.input).lexically_normal().string()).second)
      items.push_back(std::move(item));
  };
  for (const std::string& path : paths) {
    if (is_generated(path)) {
      add({path, 0, 0});
      continue;
    }
    std::error_code code;
    const auto status = fs::status(path, code);
    if (!fs::exists(status)) return Error{ErrorCode::not_found, "no such file or folder", path, 0};
    if (!fs::is_directory(status)) {
      add(item_of(path));
      continue;
    }
    std::vector<fs::path> found;
    SPRESS_CHECK(walk(path, found));
    std::sort(found.begin(), found.end());
    for (const auto& file : found) add(item_of(file));
  }
  if (items.empty())
    return Error{ErrorCode::usage, "no matrices here (.mtx, .mtx.gz, .mtx.zst, .tar.gz)", paths.empty() ? "" : paths[0],
                 0};
  return items;
}

std::string name_of_input(const std::string& input) {
  return is_generated(input) ? input.substr(generated.size()) : io::matrix_name(input);
}

std::uint64_t expected_memory(const Item& item) {
  const fs::path path(item.input);
  const bool packed = path.extension() == ".gz" || path.extension() == ".zst" || path.extension() == ".spress";
  constexpr std::uint64_t least = 32u << 20;
  return least + item.size * (packed ? 16 : 4);
}

}  // namespace spress::pipeline
