#include "cli/process.hpp"

#include <cxxabi.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <typeinfo>

#include "cli/command.hpp"
#include "formats/io/bytes/temporary_file.hpp"

namespace spress::cli {
namespace {

bool returned_from_main = false, output_was_closed = false;

void open_standard_streams() {
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    if (::open("/dev/null", O_RDWR) != stream) std::abort();
    output_was_closed |= stream == STDOUT_FILENO;
  }
}

/// Ends the program by the signal that it was sent: its handler was taken away before.
extern "C" void end_by_signal(int signal) {
  io::remove_unfinished_files();
  ::raise(signal);
}

/// Leaves alone what was to be ignored, as nohup asks for SIGHUP.
void remove_files_on(int signal) {
  struct sigaction before = {};
  if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) return;
  struct sigaction handling = {};
  handling.sa_handler = end_by_signal;
  handling.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  ::sigaction(signal, &handling, nullptr);
}

/// Libraries end the program by themselves: libgomp does with code 1 where no thread can be started.
extern "C" void fail_unless_returned() {
  if (returned_from_main) return;
  io::remove_unfinished_files();
  constexpr char message[] =
      "spress: error: a library ended the program; where threads or memory ran out, a smaller --threads helps\n";
  static_cast<void>(!::write(STDERR_FILENO, message, sizeof message - 1));
  ::_exit(ExitCode::failed);
}

/// The last resort where memory ends: before main, and within functions that must not throw. What terminates without an
/// exception had no memory for one.
[[noreturn]] void fail_where_memory_ends() {
  const std::type_info* const thrown = abi::__cxa_current_exception_type();
  if (thrown != nullptr && *thrown != typeid(std::bad_alloc)) std::abort();
  io::remove_unfinished_files();
  constexpr char message[] = "spress: error: not enough memory\n";
  static_cast<void>(!::write(STDERR_FILENO, message, sizeof message - 1));
  ::_exit(ExitCode::failed);
}

[[gnu::constructor(101)]] void expect_no_memory() { std::set_terminate(fail_where_memory_ends); }

}  // namespace

void prepare_process() {
  open_standard_streams();
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) remove_files_on(signal);
  ::signal(SIGXFSZ, SIG_IGN);
  std::atexit(fail_unless_returned);
}

bool standard_output_was_closed() { return output_was_closed; }

int end_process(int code) {
  returned_from_main = true;
  return code;
}

}  // namespace spress::cli
