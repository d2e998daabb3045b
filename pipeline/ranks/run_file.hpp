// What the ranks of a run share while they work: a file in the folder that they write to. MPI would end them all, or
// let them wait for ever, once one of them is killed; a file stays, and the system releases the locks of the dead.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <vector>

#include "formats/core/result.hpp"
#include "pipeline/collection/tally.hpp"
#include "pipeline/ranks/ranks.hpp"

namespace spress::pipeline {

/// FOLDER/.spress.ranks: the next item of the queue, what is done, and of each rank the memory that it uses. All ranks
/// may call at the same time, each from several threads.
class RunFile {
 public:
  /// Creates the file, and the folder. The leader calls it before the others open it.
  /// Errors: unwritable; usage where ranks of another run are at work there.
  [[nodiscard]] static Result<RunFile> create(const std::filesystem::path& folder, const Ranks& ranks);
  /// Errors: unwritable, also where the folder is not the leader's.
  [[nodiscard]] static Result<RunFile> open(const std::filesystem::path& folder, const Ranks& ranks);

  /// Whether ranks of a run are at work in the folder.
  [[nodiscard]] static bool is_in_use(const std::filesystem::path& folder);

  RunFile(RunFile&& other) noexcept;
  RunFile& operator=(RunFile&&) = delete;
  ~RunFile();  ///< the leader's removes the file

  /// The place in the queue that nobody has drawn. Errors: unwritable.
  [[nodiscard]] Result<std::uint64_t> draw();

  /// Adds what this rank has done, and gives what all have. Errors: unwritable.
  [[nodiscard]] Result<Tally> add(const Tally& done);
  /// What all have done. Errors: unwritable.
  [[nodiscard]] Result<Tally> tally();
  /// How many items each rank has done. Errors: unwritable.
  [[nodiscard]] Result<std::vector<std::uint64_t>> items_of_ranks();

  /// Changes the bytes that this rank uses, if the ranks of its machine stay below the limit, or it is the only one
  /// that uses any. False where they would not: then nothing is changed. Errors: unwritable.
  [[nodiscard]] Result<bool> admit(std::uint64_t bytes, std::uint64_t limit);
  /// Changes them whatever the others use: by how much, modulo 2^64.
  void correct(std::uint64_t difference);

  [[nodiscard]] bool is_leaders() const { return rank_ == 0; }
  [[nodiscard]] int node_size() const { return node_size_; }  ///< the ranks on this machine

  /// Whether other ranks are still at work. One that was killed is not.
  [[nodiscard]] bool others_at_work() const;

 private:
  struct Slot {
    std::uint64_t node = 0, memory = 0, items = 0;
  };
  struct Head {
    std::uint64_t drawn = 0;
    Tally tally;
  };
  class Held;

  RunFile(std::filesystem::path file, const Ranks& ranks);
  [[nodiscard]] Error failed(const char* what) const;
  [[nodiscard]] Status open_handle(int flags);
  [[nodiscard]] Status begin();
  [[nodiscard]] Status read(void* to, std::size_t bytes, std::uint64_t at) const;
  [[nodiscard]] Status write(const void* from, std::size_t bytes, std::uint64_t at) const;
  [[nodiscard]] std::uint64_t place_of(int rank) const;

  std::filesystem::path file_;
  int rank_, size_, node_, node_size_;
  int handle_ = -1;
  std::mutex mutex_;  // for the threads of this rank, which the lock of the file does not tell apart
};

}  // namespace spress::pipeline
