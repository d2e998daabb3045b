#include "pipeline/device/machine.hpp"

#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "formats/core/array.hpp"
#include "formats/core/clock.hpp"
#include "formats/core/isa.hpp"
#include "formats/core/memory.hpp"
#include "formats/core/threads.hpp"
#include "pipeline/device/cuda_device.hpp"
#include "pipeline/version.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace spress::pipeline {
namespace {

namespace fs = std::filesystem;

/// As records name it; empty for other kinds.
std::string_view kind_of_processor() {
  constexpr std::array<std::string_view, processors> names = {"", "intel", "zen3", "zen4", "zen5"};
  return names[static_cast<std::size_t>(processor())];
}

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string processor_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#elif defined(__GNUC__)
  return "GCC " __VERSION__;
#else
  return "unknown";
#endif
}

/// "266240K" as bytes; 0 for what is none.
std::uint64_t cache_size(const std::string& text) {
  std::uint64_t size = 0;
  std::size_t end = 0;
  for (; end < text.size() && text[end] >= '0' && text[end] <= '9'; ++end)
    size = 10 * size + static_cast<std::uint64_t>(text[end] - '0');
  const char unit = end < text.size() ? text[end] : 'B';
  return size << (unit == 'K' ? 10 : unit == 'M' ? 20 : 0);
}

struct Cache {
  int level = 0;
  std::uint64_t bytes = 0;
  std::string shared_by;  // a list of processors: the same for all that share it
};

/// The last cache before memory of one processor.
Cache last_cache(int processor) {
  Cache last;
  const fs::path folder = "/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/cache";
  for (int index = 0;; ++index) {
    const fs::path cache = folder / ("index" + std::to_string(index));
    const std::string level = first_line(cache / "level");
    if (level.empty()) return last;
    if (const int number = level[0] - '0'; number > last.level)
      last = {number, cache_size(first_line(cache / "size")), first_line(cache / "shared_cpu_list")};
  }
}

/// Those on which one of so many threads may run: with bound threads, the calling one alone says too little.
std::set<int> usable_processors(int threads) {
  std::set<int> processors;
#pragma omp parallel num_threads(threads)
  {
    cpu_set_t set;
    CPU_ZERO(&set);
    const bool known = sched_getaffinity(0, sizeof set, &set) == 0;
#pragma omp critical(spress_usable_processors)
    for (int p = 0; p < CPU_SETSIZE; ++p)
      if (known && CPU_ISSET(p, &set)) processors.insert(p);
  }
  return processors;
}

/// Copies without reading what it overwrites, where the processor can.
void copy_past_cache(double* to, const double* from, std::size_t n) {
#if defined(__SSE2__)
  for (std::size_t i = 0; i + 2 <= n; i += 2) _mm_stream_pd(to + i, _mm_load_pd(from + i));
  _mm_sfence();
#else
  std::copy_n(from, n, to);
#endif
}

/// Each thread works on a piece of its own, a whole number of cache lines.
template <class Work>
void on_pieces(std::size_t n, int threads, const Work& work) {
  const std::size_t lines = n / 8, parts = static_cast<std::size_t>(threads);
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int part = 0; part < threads; ++part) {
    const auto p = static_cast<std::size_t>(part);
    work(8 * (lines * p / parts), 8 * (lines * (p + 1) / parts));
  }
}

std::size_t copy_elements(std::uint64_t cache) {
  constexpr std::uint64_t least = 32u << 20, most = 500'000'000;
  const std::uint64_t wanted = std::clamp<std::uint64_t>(4 * cache, least, most);
  return std::min(wanted, available_memory() / 8) / sizeof(double) / 8 * 8;
}

}  // namespace

std::uint64_t last_level_cache_bytes(int threads) {
  std::map<std::string, std::uint64_t> caches;
  for (int processor : usable_processors(thread_count(threads))) {
    const Cache cache = last_cache(processor);
    if (cache.bytes != 0) caches[cache.shared_by] = cache.bytes;
  }
  std::uint64_t total = 0;
  for (const auto& [shared_by, bytes] : caches) total += bytes;
  if (total != 0) return total;
#if defined(_SC_LEVEL3_CACHE_SIZE)
  total = static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE)));
#endif
  return total;
}

double copy_bandwidth(int given) {
  const int threads = thread_count(given);
  const std::size_t n = copy_elements(last_level_cache_bytes(threads));
  HostArray<double> from(n), to(n);
  on_pieces(n, threads, [&](std::size_t first, std::size_t last) {
    std::fill(from.data() + first, from.data() + last, 1.0);
    std::fill(to.data() + first, to.data() + last, 0.0);
  });
  double best = 0;
  for (int run = 0; run < 5; ++run) {
    const auto start = Clock::now();
    on_pieces(n, threads, [&](std::size_t first, std::size_t last) {
      copy_past_cache(to.data() + first, from.data() + first, last - first);
    });
    const double seconds = seconds_since(start);
    best = std::max(best, 2e-9 * static_cast<double>(from.bytes()) / seconds);
  }
  return best;
}

double copy_bandwidth(DeviceKind device, int threads) {
  return device == DeviceKind::cuda ? cuda_copy_bandwidth() : copy_bandwidth(threads);
}

Status check_device(DeviceKind device) { return device == DeviceKind::cuda ? check_cuda() : Status(Ok{}); }

reports::MachineRecord machine_record(int threads, DeviceKind device) {
  reports::MachineRecord record;
  record.machine = processor_model();
  record.processor = kind_of_processor();
  record.compiler = compiler();
  record.commit = tool_record().commit;
  record.threads = thread_count(threads);
  record.instruction_set = isa_text();
  record.last_level_cache_bytes = last_level_cache_bytes(threads);
  if (device == DeviceKind::cuda) describe_cuda(record);
  return record;
}

}  // namespace spress::pipeline
