#include "formats/io/bytes/input_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/scratch_folder.hpp"

namespace spress::tests {
namespace {

TEST(InputFile, ASignalDoesNotEndTheWaitForTheWriterOfAPipe) {
  const ScratchFolder folder;
  const auto path = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  struct sigaction nothing = {}, before = {};
  nothing.sa_handler = [](int) {};  // without SA_RESTART
  ::sigaction(SIGUSR1, &nothing, &before);
  std::thread writer([&, reader = ::pthread_self()] {
    for (int k = 0; k < 20; ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ::pthread_kill(reader, SIGUSR1);
    }
    const int pipe = ::open(path.c_str(), O_WRONLY | O_NONBLOCK);  // fails where nobody waits
    EXPECT_EQ(::write(pipe, "text", 4), 4);
    ::close(pipe);
  });
  const auto file = io::InputFile::open(path);
  writer.join();
  ::sigaction(SIGUSR1, &before, nullptr);
  ASSERT_TRUE(file.ok()) << file.error().text();
  EXPECT_EQ((*file)->head(), "text");
}

}  // namespace
}  // namespace spress::tests
