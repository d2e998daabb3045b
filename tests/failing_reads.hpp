// Reads of files that fail on demand. Defines the system's read functions, so one source of a program includes it.
#pragma once

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>

namespace spress::tests {

/// How many reads still succeed; below zero none fails.
inline std::atomic<long> good_reads{-1};
inline std::atomic<bool> read_failed{false};

inline bool read_fails() {
  if (good_reads < 0 || good_reads-- > 0) return false;
  good_reads = 0;  // so does every read that follows
  read_failed = true;
  errno = EIO;
  return true;
}

/// Calls work(k) with all reads failing from the k-th on, for k = 0, 1, ... until a run has fewer. Gives that k.
template <class Work>
long sweep_failing_reads(Work&& work) {
  for (long k = 0;; ++k) {
    read_failed = false;
    good_reads = k;
    work(k);
    good_reads = -1;
    if (!read_failed) return k;
  }
}

}  // namespace spress::tests

extern "C" ssize_t read(int file, void* to, size_t bytes) {
  return spress::tests::read_fails() ? -1 : syscall(SYS_read, file, to, bytes);
}

extern "C" ssize_t pread(int file, void* to, size_t bytes, off_t offset) {
  return spress::tests::read_fails() ? -1 : syscall(SYS_pread64, file, to, bytes, offset);
}
