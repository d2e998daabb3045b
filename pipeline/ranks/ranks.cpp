#include "pipeline/ranks/ranks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "formats/core/threads.hpp"

namespace spress::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr const char* library_name = "libspress_mpi.so";
constexpr std::uint64_t nothing = ~std::uint64_t{0};  // sent as the number of bytes

/// The library stands beside the program in a build, else where it was installed.
std::string library_path() {
  std::error_code unknown;
  const fs::path folder = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  for (const fs::path& place : {folder / library_name, folder / SPRESS_PLUGINS_FROM_PROGRAM / library_name})
    if (fs::exists(place, unknown)) return place.string();
  return library_name;  // by the loader's own search
}

Result<const MpiFunctions*> load_functions(int processes) {
  void* const library = ::dlopen(library_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return Error{ErrorCode::unsupported,
                 fmt::format("{} processes were started, and they share work by MPI, which is not installed ({}); "
                             "install spress-mpi, or a build of spress with Open MPI (libopenmpi-dev), or start one "
                             "process",
                             processes, ::dlerror())};
  auto* const get = reinterpret_cast<GetMpiFunctions*>(::dlsym(library, get_mpi_functions));
  const MpiFunctions* const functions = get == nullptr ? nullptr : get();
  if (functions == nullptr || functions->version != MpiFunctions::this_version)
    return Error{ErrorCode::unsupported, "belongs to another version of spress; install the one of this version",
                 library_path(), 0};
  return functions;
}

/// Stands for the words after the program's name, which may differ by its path.
std::uint64_t digest_of_command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string program;
  std::getline(file, program, '\0');
  const std::string words(std::istreambuf_iterator<char>(file), {});
  return XXH64(words.data(), words.size(), 0);
}

/// Errors: usage where a rank's command line is not the leader's.
Status check_command_lines(const Ranks& ranks) {
  const auto digests = ranks.gather(digest_of_command_line());
  const auto others = std::count_if(digests.begin(), digests.end(), [&](auto digest) { return digest != digests[0]; });
  if (others == 0) return Ok{};
  return Error{ErrorCode::usage,
               fmt::format("{} of {} processes were started with other words than the first; give all the same, or "
                           "--shard I/N to runs that share nothing",
                           others, ranks.size())};
}

/// An error in a form that goes to other ranks. Long texts are cut.
struct SentError {
  bool failed = false;
  ErrorCode code = ErrorCode::usage;
  std::uint64_t line = 0;
  std::array<char, 480> message = {}, file = {};

  SentError() = default;
  explicit SentError(const Error& error) : failed(true), code(error.code), line(error.line) {
    error.message.copy(message.data(), message.size() - 1);
    error.file.copy(file.data(), file.size() - 1);
  }
  [[nodiscard]] Error error() const { return {code, message.data(), file.data(), line}; }
};

}  // namespace

Status check_input_of_ranks(const std::string& input) {
  if (input != "-" && input != "/dev/stdin") return Ok{};
  return Error{ErrorCode::usage,
               "standard input reaches only the first of several processes; write it to a file, or start one process"};
}

int processors_of_rank(int ranks_here) {
  const int allowed = std::max(1, thread_count(0));
  if (ranks_here == 1) return allowed;
  const auto all = static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  return std::clamp(all / ranks_here, 1, allowed);
}

int launched_processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return std::atoi(value);
  return 1;
}

Ranks Ranks::join(const MpiFunctions& mpi) {
  Ranks all;
  mpi.start();
  all.mpi_ = &mpi;
  all.place_ = {mpi.rank(), mpi.size(), mpi.node(), mpi.node_size()};
  return all;
}

Result<Ranks> Ranks::join() {
  const int processes = launched_processes();
  if (processes <= 1) return alone();
  SPRESS_TRY(const MpiFunctions* const mpi, load_functions(processes));
  Ranks all = join(*mpi);
  if (!all.several())
    return Error{ErrorCode::unsupported,
                 fmt::format("{} processes were started, and MPI sees each of them alone; use the mpirun of its own "
                             "installation, or srun --mpi=pmix",
                             processes)};
  SPRESS_CHECK(check_command_lines(all));
  return all;
}

Ranks::Ranks(Ranks&& other) noexcept
    : mpi_(std::exchange(other.mpi_, nullptr)), place_(other.place_), sent_(other.sent_) {}

Ranks::~Ranks() { leave(); }

void Ranks::send(std::string text) {
  sent_ = true;
  std::uint64_t bytes = text.size();
  mpi_->broadcast(&bytes, sizeof bytes);
  mpi_->broadcast(text.data(), bytes);
}

std::optional<std::string> Ranks::receive() {
  std::uint64_t bytes = nothing;
  sent_ = true;
  mpi_->broadcast(&bytes, sizeof bytes);
  if (bytes == nothing) return std::nullopt;
  std::string text(bytes, '\0');
  mpi_->broadcast(text.data(), bytes);
  return text;
}

void Ranks::post(std::span<const RankMessage> received, std::span<const RankMessage> sent) const {
  if (!received.empty() || !sent.empty())
    mpi_->post(received.data(), static_cast<int>(received.size()), sent.data(), static_cast<int>(sent.size()));
}

void Ranks::wait() const {
  if (joined()) mpi_->wait();
}

Status Ranks::agree(const Status& mine) const {
  if (!joined()) return mine;
  SentError sent;
  if (!mine.ok()) sent = SentError(mine.error());
  for (const SentError& each : gather(sent))
    if (each.failed) return each.error();
  return Ok{};
}

Status Ranks::check_same(std::uint64_t number, const char* what) const {
  const auto all = gather(number);
  if (std::all_of(all.begin(), all.end(), [&](std::uint64_t other) { return other == all.front(); })) return Ok{};
  return Error{ErrorCode::unreadable,
               fmt::format("the processes see another {} each: was it changed just now, or is there a copy of its own "
                           "on each machine?",
                           what)};
}

void Ranks::leave() {
  if (mpi_ == nullptr) return;
  std::uint64_t bytes = nothing;
  if (!sent_) mpi_->broadcast(&bytes, sizeof bytes);
  std::exchange(mpi_, nullptr)->end();
}

}  // namespace spress::pipeline
