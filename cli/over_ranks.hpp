// Subcommands that put one matrix on all processes that a launcher started together.
#pragma once

#include <exception>
#include <new>
#include <optional>
#include <string>

#include "cli/measuring.hpp"
#include "pipeline/ranks/read_part.hpp"

namespace spress::cli {

/// The exit code of work(), which all ranks do in step. An error that all have is reported by the leader alone. Where
/// one runs out of memory the others would wait for it: all end then.
template <class Work>
[[nodiscard]] Result<int> over_ranks(const pipeline::Ranks& ranks, const Work& work) {
  if (!ranks.several()) return work();
  try {
    Result<int> code = work();
    if (code.ok()) return code;
    return ranks.leads() ? report(code.error()) : int{ExitCode::failed};  // before any rank ends, so that it is read
  } catch (const std::bad_alloc&) {
    tell_failure("there is not enough memory for its part on rank " + std::to_string(ranks.rank()));
  } catch (const std::exception& error) {
    tell_failure("rank " + std::to_string(ranks.rank()) + ": " + error.what());
  }
  ranks.end_all(ExitCode::failed);
  return int{ExitCode::failed};
}

/// The file of -o, which the leader alone writes. Errors: those of opening it, on all ranks.
[[nodiscard]] inline Result<std::optional<pipeline::LineFile>> open_records(const pipeline::Ranks& ranks,
                                                                            const std::string& path) {
  return ranks.agree(open_records(ranks.leads() ? path : std::string()));
}

/// --cut, as cut_of takes it.
inline void add_cut(Command command, std::string& cut) {
  command.add_choice("--cut", cut, {"entries", "partition"},
                     "Under mpirun: how rows are dealt out to processes; partition reorders them before, so that fewer "
                     "elements of vectors are exchanged");
}

[[nodiscard]] inline pipeline::Cut cut_of(const std::string& name) {
  return name == "partition" ? pipeline::Cut::partition : pipeline::Cut::entries;
}

/// The threads of each rank.
[[nodiscard]] inline int threads_of(const Common& common, const pipeline::Ranks& ranks) {
  return common.threads != 0 || !ranks.several() ? common.threads : ranks.processors();
}

/// Errors: usage for what one process has to do alone.
[[nodiscard]] inline Status check_fit_for_ranks(bool choose, const std::string& device_memory) {
  if (choose) return Error{ErrorCode::usage, "'auto' is for one process; name formats by --formats"};
  if (!device_memory.empty())
    return Error{ErrorCode::usage, "--memory is for one process; of several, each has a part of the matrix"};
  return Ok{};
}

/// The sum over all ranks, which copy at the same time.
[[nodiscard]] inline double bandwidth_over(const pipeline::Ranks& ranks, pipeline::DeviceKind device, int threads) {
  return ranks.sum(pipeline::copy_bandwidth(device, threads));
}

}  // namespace spress::cli
