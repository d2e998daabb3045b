#include "formats/io/foreign/child_process.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace spress::io {
namespace {

enum class Ending : std::uint32_t { none, good, failed };

/// The first bytes of what a child shares: written last.
struct Outcome {
  Ending ending = Ending::none;
  ErrorCode code = ErrorCode::usage;
  std::uint64_t bytes = 0;
  std::uint32_t message_bytes = 0;
  std::array<char, 2000> message = {};
};
constexpr std::uint64_t outcome_room = 4096;
static_assert(sizeof(Outcome) <= outcome_room);

/// Keeps signals away from the calling thread, so that none reaches the child before it has forgotten the handlers.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_ = {};
};

/// Checks the size of the file in memory by which the child hands over its output. Errors: too_large, where it is
/// beyond the process's limit on the sizes of files.
Status check_file_limit(std::uint64_t bytes) {
  rlimit limit = {};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  if (bytes <= limit.rlim_cur) return Ok{};
  return Error{ErrorCode::too_large, "needs a file in memory that is larger than the limit on file sizes, " +
                                         std::to_string(limit.rlim_cur) + " bytes: raise it (ulimit -f)"};
}

std::string reason_of(int system_error) { return std::generic_category().message(system_error); }

// --- In the child

/// Bytes of memory that count for RLIMIT_DATA and were there before: a sanitizer's shadow, the parent's matrices.
std::uint64_t data_bytes_now() {
  std::array<char, 256> text = {};
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  const ssize_t got = file < 0 ? -1 : ::read(file, text.data(), text.size() - 1);
  if (file >= 0) ::close(file);
  if (got <= 0) return 0;
  char* at = text.data();
  constexpr int fields_before = 5;
  for (int field = 0; field < fields_before; ++field) static_cast<void>(std::strtoull(at, &at, 10));
  return std::strtoull(at, nullptr, 10) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void lower_limit(decltype(RLIMIT_DATA) resource, std::uint64_t wanted) {
  rlimit limit = {};
  ::getrlimit(resource, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, wanted);
  ::setrlimit(resource, &limit);
}

void confine(const ChildLimits& limits) {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  ::signal(SIGXFSZ, SIG_IGN);  // a write that is too long fails instead
  lower_limit(RLIMIT_CORE, 0);
  lower_limit(RLIMIT_DATA, data_bytes_now() + limits.memory_bytes);
  lower_limit(RLIMIT_CPU, limits.processor_seconds);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
}

Status attempt(const ChildWork& work, ChildOutput& output) {
  try {
    return work(output);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::exception& failure) {
    return Error{ErrorCode::damaged, std::string("cannot be parsed: ") + failure.what()};
  }
}

void report(const MemoryFile& file, const Status& status, std::uint64_t bytes) {
  Outcome outcome;
  outcome.ending = status.ok() ? Ending::good : Ending::failed;
  outcome.bytes = bytes;
  if (!status.ok()) {
    const std::string& message = status.error().message;
    outcome.code = status.error().code;
    outcome.message_bytes = static_cast<std::uint32_t>(std::min(message.size(), outcome.message.size()));
    std::copy_n(message.data(), outcome.message_bytes, outcome.message.data());
  }
  static_cast<void>(file.write(0, &outcome, sizeof outcome));  // where it fails, the parent finds none
}

[[noreturn]] void live_as_child(const MemoryFile& file, pid_t parent, const ChildLimits& limits,
                                const ChildWork& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it ended before the line above
  confine(limits);
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  ChildOutput output(file, limits.output_bytes);
  const Status status = attempt(work, output);
  report(file, status, output.size());
  ::_exit(0);
}

// --- In the parent

std::string name_of(int signal) {
  struct Name {
    int signal;
    std::string_view name;
  };
  constexpr std::array<Name, 7> names = {{{SIGSEGV, "SIGSEGV"},
                                          {SIGABRT, "SIGABRT"},
                                          {SIGBUS, "SIGBUS"},
                                          {SIGFPE, "SIGFPE"},
                                          {SIGILL, "SIGILL"},
                                          {SIGKILL, "SIGKILL"},
                                          {SIGTERM, "SIGTERM"}}};
  const auto found = std::find_if(names.begin(), names.end(), [&](const Name& row) { return row.signal == signal; });
  return found == names.end() ? "signal " + std::to_string(signal) : std::string(found->name);
}

Error ended_badly(int status, const ChildLimits& limits) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    return {ErrorCode::too_large, "took more than " + std::to_string(limits.processor_seconds) +
                                      " s of processor time, far more than its size asks for"};
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    return {ErrorCode::too_large,
            "the process that works on it was killed (SIGKILL), most likely because memory ran out"};
  const std::string how = WIFSIGNALED(status) ? "ended by " + name_of(WTERMSIG(status))
                                              : "ended with code " + std::to_string(WEXITSTATUS(status));
  return {ErrorCode::damaged, "the process that works on it " + how + ": the file is damaged"};
}

/// The status that a child ended with; 0 where somebody else has fetched it.
int wait_for(pid_t child) {
  int status = 0;
  for (;;) {
    const pid_t ended = ::waitpid(child, &status, 0);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return 0;
  }
}

Result<ChildBytes> take_output(const MemoryFile& file, int status, const ChildLimits& limits) {
  struct stat facts = {};
  if (::fstat(file.descriptor(), &facts) != 0) return Error{ErrorCode::unreadable, reason_of(errno)};
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  Outcome outcome;
  if (size < sizeof outcome || ::pread(file.descriptor(), &outcome, sizeof outcome, 0) != sizeof outcome ||
      outcome.ending == Ending::none)
    return ended_badly(status, limits);
  if (outcome.ending == Ending::failed) {
    const std::size_t length = std::min<std::size_t>(outcome.message_bytes, outcome.message.size());
    return Error{outcome.code, std::string(outcome.message.data(), length)};
  }
  if (outcome.bytes == 0) return ChildBytes();
  if (outcome.bytes > size - std::min(size, outcome_room)) return ended_badly(status, limits);
  void* const map = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.descriptor(), 0);
  if (map == MAP_FAILED) return out_of_memory();
  return ChildBytes(map, size, {static_cast<const std::uint8_t*>(map) + outcome_room, outcome.bytes});
}

}  // namespace

Status ChildOutput::extend(const void* data, std::size_t bytes) {
  SPRESS_CHECK(check_file_limit(outcome_room + size_ + bytes));
  if (bytes > most_ - std::min(most_, size_) || !file_.write(outcome_room + size_, data, bytes))
    return Error{ErrorCode::too_large,
                 "holds more than the " + std::to_string(most_) + " bytes of memory that are free for it"};
  size_ += bytes;
  return Ok{};
}

Result<std::uint64_t> ChildOutput::append(const void* data, std::size_t bytes) {
  constexpr std::uint64_t alignment = 16;
  size_ = (size_ + alignment - 1) / alignment * alignment;
  const std::uint64_t offset = size_;
  SPRESS_CHECK(extend(data, bytes));
  return offset;
}

ChildBytes::ChildBytes(ChildBytes&& other) noexcept
    : map_(std::exchange(other.map_, nullptr)), mapped_(other.mapped_), bytes_(std::exchange(other.bytes_, {})) {}

ChildBytes& ChildBytes::operator=(ChildBytes&& other) noexcept {
  std::swap(map_, other.map_);
  std::swap(mapped_, other.mapped_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

ChildBytes::~ChildBytes() {
  if (map_ != nullptr) ::munmap(map_, mapped_);
}

Result<ChildBytes> run_in_child(const ChildLimits& limits, const ChildWork& work) {
  SPRESS_CHECK(check_file_limit(outcome_room));
  SPRESS_TRY(const MemoryFile file, MemoryFile::create());
  const pid_t parent = ::getpid();
  pid_t child = -1;
  {
    const BlockedSignals blocked;
    child = ::fork();
    if (child == 0) live_as_child(file, parent, limits, work);
  }
  if (child < 0) return Error{ErrorCode::too_large, "no process can be started to work on it: " + reason_of(errno)};
  return take_output(file, wait_for(child), limits);
}

}  // namespace spress::io
