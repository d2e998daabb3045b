#include "formats/core/control_group.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

namespace spress {
namespace {

/// Where the groups of a controller lie, and the files there.
struct Hierarchy {
  std::string_view controller;  ///< in /proc/self/cgroup; empty in version 2
  std::string_view mount;
};

/// A file of the system, which tells no size. No streams: this is asked before main, when there are none yet.
std::string text_of(const std::string& path) {
  std::string text;
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return text;
  constexpr std::size_t most = 1 << 16;
  char part[4096];
  std::size_t got = 0;
  while (text.size() < most && (got = std::fread(part, 1, sizeof part, file)) != 0) text.append(part, got);
  std::fclose(file);
  return text;
}

/// The number that begins the text; none for "max", and for what means no limit in version 1: -1, or as much as fits.
std::optional<std::uint64_t> number_in(const std::string& text) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  errno = 0;
  const unsigned long long number = std::strtoull(text.c_str(), nullptr, 10);
  if (errno != 0 || number >= std::uint64_t{1} << 62) return std::nullopt;
  return number;
}

/// The number behind a word that begins a line, or 0.
std::uint64_t number_of(const std::string& text, std::string_view word) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (line.size() > word.size() && line.starts_with(word) && line[word.size()] == ' ')
      return number_in(line.substr(word.size() + 1)).value_or(0);
    begin = end + 1;
  }
  return 0;
}

bool lists(std::string_view controllers, std::string_view wanted) {
  for (std::size_t begin = 0; begin <= controllers.size();) {
    const std::size_t end = std::min(controllers.find(',', begin), controllers.size());
    if (controllers.substr(begin, end - begin) == wanted) return true;
    begin = end + 1;
  }
  return false;
}

/// The group of this process, as "/a/b", in a line NUMBER:CONTROLLERS:PATH. Groups outside of what a container sees
/// begin with "/..": what it sees of them is its root.
std::string group_of(const std::string& lines, std::string_view controller) {
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    const std::string_view line = std::string_view(lines).substr(begin, end - begin);
    begin = end + 1;
    const auto first = line.find(':');
    const auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos || !lists(line.substr(first + 1, second - first - 1), controller)) continue;
    const std::string_view path = line.substr(second + 1);
    return path.starts_with('/') && path.find("/..") == std::string_view::npos ? std::string(path) : "/";
  }
  return "/";
}

/// Calls use(folder + "/") for the group of this process and for each one above.
template <class Use>
void for_each_group(const std::string& root, const Hierarchy& hierarchy, const Use& use) {
  std::string group = group_of(text_of(root + "/proc/self/cgroup"), hierarchy.controller);
  const std::string mount = root + std::string(hierarchy.mount);
  for (;; group.erase(group.rfind('/'))) {
    use(mount + group + "/");
    if (group.find_last_not_of('/') == std::string::npos) return;
  }
}

/// What is free below a limit. cached: the words of memory.stat for contents of files.
std::optional<std::uint64_t> free_in(const std::string& folder, const char* limit_file, const char* usage_file,
                                     std::pair<const char*, const char*> cached) {
  const auto limit = number_in(text_of(folder + limit_file));
  if (!limit) return std::nullopt;
  const std::uint64_t usage = number_in(text_of(folder + usage_file)).value_or(0);
  const std::string statistics = text_of(folder + "memory.stat");
  const std::uint64_t files = number_of(statistics, cached.first) + number_of(statistics, cached.second);
  const std::uint64_t used = usage - std::min(usage, files);
  return *limit - std::min(*limit, used);
}

std::optional<int> processors_for(std::optional<std::uint64_t> quota, std::optional<std::uint64_t> period) {
  if (!quota || !period || *quota == 0 || *period == 0) return std::nullopt;
  const std::uint64_t rounded = (*quota - 1) / *period + 1;
  return static_cast<int>(std::min<std::uint64_t>(rounded, std::numeric_limits<int>::max()));
}

template <class T>
void lower(std::optional<T>& least, std::optional<T> found) {
  if (found && (!least || *found < *least)) least = found;
}

}  // namespace

std::optional<std::uint64_t> memory_of_group(const std::string& root) {
  std::optional<std::uint64_t> least;
  for_each_group(root, {"", "/sys/fs/cgroup"}, [&](const std::string& folder) {
    lower(least, free_in(folder, "memory.max", "memory.current", {"active_file", "inactive_file"}));
  });
  for_each_group(root, {"memory", "/sys/fs/cgroup/memory"}, [&](const std::string& folder) {
    lower(least, free_in(folder, "memory.limit_in_bytes", "memory.usage_in_bytes",
                         {"total_active_file", "total_inactive_file"}));
  });
  return least;
}

std::optional<int> processors_of_group(const std::string& root) {
  std::optional<int> least;
  for_each_group(root, {"", "/sys/fs/cgroup"}, [&](const std::string& folder) {
    const std::string text = text_of(folder + "cpu.max");  // QUOTA PERIOD
    const auto space = text.find(' ');
    if (space != std::string::npos) lower(least, processors_for(number_in(text), number_in(text.substr(space + 1))));
  });
  for_each_group(root, {"cpu", "/sys/fs/cgroup/cpu"}, [&](const std::string& folder) {
    lower(least, processors_for(number_in(text_of(folder + "cpu.cfs_quota_us")),
                                number_in(text_of(folder + "cpu.cfs_period_us"))));
  });
  return least;
}

}  // namespace spress
