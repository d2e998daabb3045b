// Calls of the system that may do less than asked, repeated until all is done; descriptors kept off the standard
// streams. Private to formats/io.
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace spress::io {

/// Bytes that Linux takes at once at most, rounded down.
inline constexpr std::size_t most_at_once = std::size_t{1} << 30;

/// Repeats a system call that a signal interrupts.
template <class Call>
auto retry(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// Calls work(place, count, done) until n bytes are done or a call does none; `done` counts those of the calls before.
/// Restarts what a signal interrupted. Returns 0, or the system's error.
template <class Byte, class Work>
int do_fully(Byte* at, std::size_t n, std::size_t& done, const Work& work) {
  for (done = 0; done < n;) {
    const ssize_t some = retry([&] { return work(at + done, std::min(n - done, most_at_once), done); });
    if (some < 0) return errno;
    if (some == 0) break;
    done += static_cast<std::size_t>(some);
  }
  return 0;
}

/// Writes all of `data`; 0, or the system's error, ENOSPC where a call takes nothing.
template <class Put>
int write_fully(const void* data, std::size_t n, const Put& put) {
  std::size_t done = 0;
  const int error = do_fully(static_cast<const char*>(data), n, done, put);
  return error == 0 && done < n ? ENOSPC : error;
}
inline int write_fully_at(int file, std::uint64_t offset, const void* data, std::size_t n) {
  return write_fully(data, n, [&](const char* from, std::size_t count, std::size_t done) {
    return ::pwrite(file, from, count, static_cast<off_t>(offset + done));
  });
}

/// Reads until n bytes came or none are left: `got`. Returns 0, or the system's error.
inline int read_fully_at(int file, std::uint64_t offset, void* to, std::size_t n, std::size_t& got) {
  return do_fully(static_cast<char*>(to), n, got, [&](char* at, std::size_t count, std::size_t done) {
    return ::pread(file, at, count, static_cast<off_t>(offset + done));
  });
}

/// The open file, with another descriptor where it has one of the standard streams, which were closed: what the
/// program prints would go into it, and child processes replace these. -1 stays -1, with errno.
inline int beside_streams(int file) {
  if (file < 0 || file > STDERR_FILENO) return file;
  const int moved = ::fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), error = errno;
  ::close(file);
  errno = error;
  return moved;
}

}  // namespace spress::io
