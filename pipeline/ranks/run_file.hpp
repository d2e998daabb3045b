// A file that the ranks of a run share while they work, in the folder that they write to. Once a rank is killed, MPI
// would end them all, or let them wait for ever. The file stays, and the system releases the locks of the dead.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <utility>
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
  /// Errors: unwritable; usage where ranks of another run are at work there, or somebody else's file has its name.
  [[nodiscard]] static Result<RunFile> create(const std::filesystem::path& folder, const RankPlace& place);
  /// Errors: unwritable, also where the folder is not the leader's.
  [[nodiscard]] static Result<RunFile> open(const std::filesystem::path& folder, const RankPlace& place);

  /// Whether ranks of a run are at work in the folder.
  [[nodiscard]] static bool is_in_use(const std::filesystem::path& folder);

  /// Removes the file that a killed leader left, unless ranks are at work.
  static void remove_left(const std::filesystem::path& folder);

  RunFile(RunFile&& other) noexcept;
  RunFile& operator=(RunFile&&) = delete;
  ~RunFile();  ///< the leader's removes the file

  /// The place in the queue that nobody has drawn. Errors: unwritable.
  [[nodiscard]] Result<std::uint64_t> draw();

  /// Adds what this rank has done, and gives what all have. Errors: unwritable.
  [[nodiscard]] Result<Tally> add(const Tally& done);
  /// The work that all have done. Errors: unwritable.
  [[nodiscard]] Result<Tally> tally();
  /// How many items each rank has done. Errors: unwritable.
  [[nodiscard]] Result<std::vector<std::uint64_t>> items_of_ranks();

  /// Changes the bytes that this rank uses, if the ranks of its machine stay below the limit, or it is the only one
  /// that uses any. False where they would not: then nothing is changed. Errors: unwritable.
  [[nodiscard]] Result<bool> admit(std::uint64_t bytes, std::uint64_t limit);
  /// Changes them whatever the others use: by how much, modulo 2^64.
  void correct(std::uint64_t difference);

  [[nodiscard]] bool is_leaders() const { return place_.rank == 0; }

  /// Whether other ranks are still at work. One that was killed is not.
  [[nodiscard]] bool others_at_work() const;
  /// Errors: truncated where the leader, which waits for all, is gone.
  [[nodiscard]] Status check_leader() const;

 private:
  struct Slot {
    std::uint64_t node = 0, memory = 0, items = 0;
  };
  struct Head {
    std::uint64_t magic = 0x736b6e6172707300;  // "\0spranks"
    std::uint64_t drawn = 0;
    Tally tally;
  };
  class Held;

  RunFile(std::filesystem::path file, const RankPlace& place) : file_(std::move(file)), place_(place) {}
  [[nodiscard]] Error failed(const char* what) const;
  [[nodiscard]] Error in_use() const;
  [[nodiscard]] Status open_handle(int flags);
  [[nodiscard]] Status take_lock();
  [[nodiscard]] Status check_ours() const;
  [[nodiscard]] Status begin();
  [[nodiscard]] Result<std::vector<Slot>> slots() const;
  [[nodiscard]] Status read(void* to, std::size_t bytes, std::uint64_t at) const;
  [[nodiscard]] Status write(const void* from, std::size_t bytes, std::uint64_t at) const;
  [[nodiscard]] std::uint64_t place_of(int rank) const;

  std::filesystem::path file_;
  RankPlace place_;
  int handle_ = -1;
  bool created_ = false;  ///< by this process, which removes it
  std::mutex mutex_;      // for the threads of this rank, which the lock of the file does not tell apart
};

}  // namespace spress::pipeline
