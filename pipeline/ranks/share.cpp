#include "pipeline/ranks/share.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <numeric>
#include <string_view>
#include <thread>
#include <utility>

namespace spress::pipeline {
namespace {

namespace fs = std::filesystem;

// --- A list as text: numbers and strings, each string behind its length ----------------------------------------------

void put(std::string& text, std::int64_t number) { text += std::to_string(number) + ' '; }
void put(std::string& text, std::string_view string) {
  put(text, static_cast<std::int64_t>(string.size()));
  text += string;
}

/// Takes from the beginning what put() appended. Requires: it is there, as in a text from another rank of this program.
std::int64_t take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return number;
}
std::string take_string(std::string_view& text) {
  const auto size = static_cast<std::size_t>(take_number(text));
  std::string string(text.substr(0, size));
  text.remove_prefix(size);
  return string;
}

std::string text_of(const FileList& list, const fs::path& place) {
  std::string text;
  put(text, place.native());
  put(text, static_cast<std::int64_t>(list.items.size()));
  for (const Item& item : list.items) {
    put(text, static_cast<std::int64_t>(item.size)), put(text, item.mtime_ns);
    put(text, item.input), put(text, item.problem), put(text, item.below);
  }
  put(text, static_cast<std::int64_t>(list.targets.size()));
  for (const auto& target : list.targets) put(text, target.native());
  return text;
}

FileList list_of(std::string_view text, fs::path& place) {
  FileList list;
  place = take_string(text);
  list.items.resize(static_cast<std::size_t>(take_number(text)));
  for (Item& item : list.items) {
    item.size = static_cast<std::uint64_t>(take_number(text)), item.mtime_ns = take_number(text);
    item.input = take_string(text), item.problem = take_string(text), item.below = take_string(text);
  }
  list.targets.resize(static_cast<std::size_t>(take_number(text)));
  for (auto& target : list.targets) target = take_string(text);
  return list;
}

/// A folder of this run's own.
Result<fs::path> make_scratch_folder() {
  std::error_code unknown;
  std::string name = (fs::temp_directory_path(unknown) / "spress-ranks-XXXXXX").string();
  if (::mkdtemp(name.data()) != nullptr) return fs::path(name);
  return Error{ErrorCode::unwritable, std::string("cannot be created: ") + std::strerror(errno), name, 0};
}

/// Errors: usage for standard input.
Status check_inputs(const std::vector<Item>& items) {
  for (const Item& item : items) SPRESS_CHECK(check_input_of_ranks(item.input));
  return Ok{};
}

/// The items of one rank: from the largest on, each goes to the rank that has the fewest bytes so far.
std::vector<Item> dealt_to(const Ranks& ranks, const std::vector<Item>& items) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return items[a].size > items[b].size; });
  std::vector<std::uint64_t> bytes(static_cast<std::size_t>(ranks.size()));
  std::vector<Item> own;
  for (const std::size_t i : order) {
    const auto least = std::min_element(bytes.begin(), bytes.end());
    *least += items[i].size + 1;
    if (least - bytes.begin() == ranks.rank()) own.push_back(items[i]);
  }
  return own;
}

}  // namespace

SharedFiles::~SharedFiles() {
  if (scratch.empty() || !shared || !shared->is_leaders()) return;
  shared.reset();
  std::error_code ignored;
  fs::remove(scratch, ignored);
}

Result<std::optional<SharedFiles>> share_files(Ranks& ranks, const fs::path& folder,
                                               const std::function<Result<FileList>()>& list) {
  SharedFiles out;
  fs::path place = folder;
  if (ranks.leads()) {
    SPRESS_TRY(static_cast<FileList&>(out), list());
    if (!ranks.several()) return std::optional(std::move(out));
    SPRESS_CHECK(check_inputs(out.items));
    if (folder.empty() && ranks.on_one_machine()) {
      SPRESS_TRY(out.scratch, make_scratch_folder());
      place = out.scratch;
    }
    if (!place.empty()) {
      SPRESS_TRY(auto file, RunFile::create(place, ranks.place()));
      out.shared.emplace(std::move(file));
    }
    ranks.send(text_of(out, place));
  } else {
    const auto text = ranks.receive();
    if (!text) return std::optional<SharedFiles>();
    static_cast<FileList&>(out) = list_of(*text, place);
  }
  if (place.empty()) {
    out.items = dealt_to(ranks, out.items);
    return std::optional(std::move(out));
  }
  Status opened = Ok{};
  if (!ranks.leads()) {
    auto file = RunFile::open(place, ranks.place());
    if (file.ok())
      out.shared.emplace(std::move(file).value());
    else
      opened = std::move(file).error();
  }
  const int failed = ranks.sum(opened.ok() ? 0 : 1);  // so that all have begun before one can end
  ranks.leave();
  SPRESS_CHECK(std::move(opened));
  if (failed == 0) return std::optional(std::move(out));
  if (!ranks.leads()) return std::optional<SharedFiles>();
  return Error{ErrorCode::unwritable,
               fmt::format("{} of {} processes cannot write here; all need the same folder", failed, ranks.size()),
               place.string(), 0};
}

Result<Tally> wait_for_others(RunFile& shared, const std::function<void(const Tally&)>& on_change) {
  std::uint64_t told = 0;
  while (shared.others_at_work()) {
    SPRESS_TRY(const Tally tally, shared.tally());
    if (tally.items() != told) on_change(tally);
    told = tally.items();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return shared.tally();
}

Status check_all_done(std::uint64_t done, std::uint64_t all) {
  if (done >= all) return Ok{};
  return Error{
      ErrorCode::truncated,
      fmt::format("{} of {} were left undone by processes that ended early; the same command goes on from here",
                  all - done, all)};
}

}  // namespace spress::pipeline
