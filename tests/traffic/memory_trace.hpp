// Counts what instrumented code loads and stores. A source compiled with -fsanitize=thread calls a function before each
// access to memory; linked with memory_trace.cpp instead of ThreadSanitizer, that call counts the access. So a kernel
// is measured as it stands, and its release build knows nothing of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spress::tests {

/// An array that is watched, and what was done to it.
struct WatchedArray {
  static constexpr std::uint64_t line = 64;  ///< bytes that memory moves at once

  std::string name;
  std::uintptr_t begin = 0, end = 0;
  std::uint64_t read_bytes = 0, written_bytes = 0;  ///< by instructions, however often
  std::vector<bool> lines;                          ///< of 64 bytes from `begin` on: touched at all

  [[nodiscard]] std::uint64_t line_bytes() const;  ///< all lines touched, once each, no more than the array has
};

/// Accesses to the arrays watched, by instrumented code that runs while this object lives. One object at a time, and
/// the code must run in one thread.
class MemoryTrace {
 public:
  MemoryTrace();
  ~MemoryTrace();
  MemoryTrace(const MemoryTrace&) = delete;
  MemoryTrace& operator=(const MemoryTrace&) = delete;

  void watch(std::string name, const void* at, std::uint64_t bytes);
  [[nodiscard]] const WatchedArray& array(const std::string& name) const;
  [[nodiscard]] const std::vector<WatchedArray>& arrays() const { return arrays_; }

  void count(const void* at, std::uint64_t bytes, bool written);

 private:
  std::vector<WatchedArray> arrays_;
  std::uintptr_t begin_ = UINTPTR_MAX, end_ = 0;  // around all arrays: most accesses are to the stack
};

}  // namespace spress::tests
