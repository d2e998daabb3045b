// Replaces the allocation of a test program, so that it can be made to fail. Include it in one file of a program.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace spress::failing {

inline constexpr long any_number = std::numeric_limits<long>::max();
inline std::atomic<long> allocations_left = any_number;

inline void* allocate_or_fail(std::size_t bytes) {
  if (allocations_left.fetch_sub(1) <= 0) throw std::bad_alloc();
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}

/// Whether work() ends when only `allocations` succeed; otherwise it threw std::bad_alloc.
template <class Work>
bool enough(long allocations, const Work& work) {
  allocations_left = allocations;
  try {
    work();
    allocations_left = any_number;
    return true;
  } catch (const std::bad_alloc&) {
    allocations_left = any_number;
    return false;
  }
}

/// Lets memory end after each number of allocations, until there is enough of it. Returns how many ends were tried.
template <class Work>
long check_each_end(const Work& work) {
  long n = 0;
  while (!enough(n, work)) {
    ++n;
    if (n > 1000000) ADD_FAILURE() << "memory never suffices";
    if (n > 1000000) break;
  }
  return n;
}

}  // namespace spress::failing

// Those for arrays call them; the one without exceptions is a sanitizer's own where it is not here.
void* operator new(std::size_t bytes) { return spress::failing::allocate_or_fail(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return spress::failing::allocations_left.fetch_sub(1) <= 0 ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
