#include "tests/traffic/memory_trace.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace spress::tests {
namespace {

MemoryTrace* current = nullptr;

void count_read(const void* at, std::uint64_t bytes) {
  if (current != nullptr) current->count(at, bytes, false);
}
void count_write(const void* at, std::uint64_t bytes) {
  if (current != nullptr) current->count(at, bytes, true);
}

}  // namespace

std::uint64_t WatchedArray::line_bytes() const {
  const auto touched = static_cast<std::uint64_t>(std::count(lines.begin(), lines.end(), true));
  return std::min<std::uint64_t>(touched * line, end - begin);
}

MemoryTrace::MemoryTrace() { current = this; }
MemoryTrace::~MemoryTrace() { current = nullptr; }

void MemoryTrace::watch(std::string name, const void* at, std::uint64_t bytes) {
  WatchedArray array;
  array.name = std::move(name);
  array.begin = reinterpret_cast<std::uintptr_t>(at);
  array.end = array.begin + bytes;
  array.lines.resize((bytes + WatchedArray::line - 1) / WatchedArray::line);
  begin_ = std::min(begin_, array.begin);
  end_ = std::max(end_, array.end);
  arrays_.push_back(std::move(array));
}

const WatchedArray& MemoryTrace::array(const std::string& name) const {
  for (const WatchedArray& array : arrays_)
    if (array.name == name) return array;
  throw std::out_of_range(name);
}

void MemoryTrace::count(const void* at, std::uint64_t bytes, bool written) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  if (address < begin_ || address >= end_) return;
  for (WatchedArray& array : arrays_) {
    if (address < array.begin || address >= array.end) continue;
    (written ? array.written_bytes : array.read_bytes) += bytes;
    const std::uint64_t first = (address - array.begin) / WatchedArray::line;
    const std::uint64_t last = (address + bytes - 1 - array.begin) / WatchedArray::line;
    for (std::uint64_t i = first; i <= last; ++i) array.lines[i] = true;
    return;
  }
}

}  // namespace spress::tests

// What instrumented code calls, under the names that the compilers give it.
#define SPRESS_ON(name, body)                          \
  void on_##name(const void* at) asm("__tsan_" #name); \
  void on_##name([[maybe_unused]] const void* at) { body; }
#define SPRESS_ON_ACCESS(bytes)                                                                             \
  SPRESS_ON(read##bytes, spress::tests::count_read(at, bytes))                                              \
  SPRESS_ON(write##bytes, spress::tests::count_write(at, bytes))                                            \
  SPRESS_ON(unaligned_read##bytes, spress::tests::count_read(at, bytes))                                    \
  SPRESS_ON(unaligned_write##bytes, spress::tests::count_write(at, bytes))                                  \
  SPRESS_ON(read_write##bytes, spress::tests::count_read(at, bytes); spress::tests::count_write(at, bytes)) \
  SPRESS_ON(unaligned_read_write##bytes, spress::tests::count_read(at, bytes); spress::tests::count_write(at, bytes))

extern "C" {
SPRESS_ON_ACCESS(1)
SPRESS_ON_ACCESS(2)
SPRESS_ON_ACCESS(4)
SPRESS_ON_ACCESS(8)
SPRESS_ON_ACCESS(16)
SPRESS_ON(func_entry, )
SPRESS_ON(vptr_read, )

void on_init() asm("__tsan_init");
void on_init() {}
void on_func_exit() asm("__tsan_func_exit");
void on_func_exit() {}
void on_read_range(const void* at, std::size_t bytes) asm("__tsan_read_range");
void on_read_range(const void* at, std::size_t bytes) { spress::tests::count_read(at, bytes); }
void on_write_range(const void* at, std::size_t bytes) asm("__tsan_write_range");
void on_write_range(const void* at, std::size_t bytes) { spress::tests::count_write(at, bytes); }
}
