// How the leader of several ranks gives the others their work, and waits for them.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/ranks/ranks.hpp"
#include "pipeline/ranks/run_file.hpp"
#include "pipeline/source.hpp"

namespace spress::pipeline {

struct SharedFiles : FileList {
  std::optional<RunFile> shared;  ///< where several ranks draw from one queue
  std::filesystem::path scratch;  ///< folder made for it; the leader's is removed with this

  [[nodiscard]] RunFile* queue() { return shared ? &*shared : nullptr; }

  SharedFiles() = default;
  SharedFiles(SharedFiles&&) = default;
  ~SharedFiles();
};

/// The files of a run, the same on all ranks: list() is called by the leader alone. The ranks share a RunFile in the
/// folder and have left MPI. folder: empty for a run that writes nothing. Ranks of one machine then share a folder for
/// temporary files. Those of several stay in MPI and have the files dealt out, large ones first: each gets its own.
/// Nothing on ranks whose leader ended early. Errors: those of list() and of RunFile; usage for standard input, which
/// only the leader sees.
[[nodiscard]] Result<std::optional<SharedFiles>> share_files(Ranks& ranks, const std::filesystem::path& folder,
                                                             const std::function<Result<FileList>()>& list);

/// Waits until no other rank is at work and gives what all have done. on_change: told what is done by then.
/// Errors: those of RunFile.
[[nodiscard]] Result<Tally> wait_for_others(RunFile& shared, const std::function<void(const Tally&)>& on_change);

/// Errors: truncated where `done` are fewer than `all` items, since a rank ended early.
[[nodiscard]] Status check_all_done(std::uint64_t done, std::uint64_t all);

}  // namespace spress::pipeline
