// The processes that mpirun or srun started as one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "formats/core/result.hpp"
#include "pipeline/ranks/mpi_functions.hpp"

namespace spress::pipeline {

/// The place of a rank among all, and on its machine.
struct RankPlace {
  int rank = 0, size = 1;
  int node = 0;       ///< the first rank on this machine
  int node_size = 1;  ///< the ranks on it
};

/// This process among those of its run. The first, the leader, decides and reports; the others work for it.
class Ranks {
 public:
  /// Joins the others by MPI, or is alone where no launcher started several processes.
  /// Errors: unsupported where several were started and MPI is not installed, or sees each of them alone; usage where
  /// their command lines differ.
  [[nodiscard]] static Result<Ranks> join();
  /// Is alone whatever a launcher started.
  [[nodiscard]] static Ranks alone() { return Ranks(); }

  Ranks(Ranks&& other) noexcept;
  Ranks& operator=(Ranks&&) = delete;
  ~Ranks();  ///< a leader that sent nothing says so, and all leave MPI

  [[nodiscard]] const RankPlace& place() const { return place_; }
  [[nodiscard]] int rank() const { return place_.rank; }
  [[nodiscard]] int size() const { return place_.size; }
  [[nodiscard]] bool leads() const { return place_.rank == 0; }
  [[nodiscard]] bool several() const { return place_.size > 1; }
  [[nodiscard]] bool on_one_machine() const { return place_.node_size == place_.size; }
  [[nodiscard]] bool joined() const { return mpi_ != nullptr; }  ///< several, and none has called leave()

  /// Gives the text to the others. Requires: leads(); joined().
  void send(std::string text);
  /// Gives the text that the leader sent, or nothing where it ended without. Requires: !leads().
  [[nodiscard]] std::optional<std::string> receive();

  /// Makes each value the sum of those of all ranks. Requires: joined().
  void add_up(std::span<std::uint64_t> values) const;

  /// Leaves MPI: from here on, a rank that ends early holds nobody up.
  void leave();

 private:
  Ranks() = default;

  const MpiFunctions* mpi_ = nullptr;  ///< null where there is one process, and after leave()
  RankPlace place_;
  bool sent_ = false;
};

/// How many processes a launcher says that it started: by the variables of Open MPI, of PMI (MPICH, Intel MPI) and of a
/// step of Slurm; 1 without any.
[[nodiscard]] int launched_processes();

}  // namespace spress::pipeline
