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

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool leads() const { return rank_ == 0; }
  [[nodiscard]] bool several() const { return size_ > 1; }
  [[nodiscard]] bool joined() const { return mpi_ != nullptr; }  ///< several, and none has called leave()
  [[nodiscard]] int node() const { return node_; }               ///< the first rank on this machine
  [[nodiscard]] int node_size() const { return node_size_; }     ///< the ranks on it

  /// Gives the text to the others. Requires: leads().
  void send(std::string text);
  /// What the leader sent; nothing where it ended without. Requires: !leads().
  [[nodiscard]] std::optional<std::string> receive();

  /// Makes each value the sum of those of all ranks.
  void add_up(std::span<std::uint64_t> values) const;

  /// Leaves MPI: from here on, a rank that ends early holds nobody up.
  void leave();

 private:
  Ranks() = default;

  const MpiFunctions* mpi_ = nullptr;  ///< null where there is one process, and after leave()
  int rank_ = 0, size_ = 1, node_ = 0, node_size_ = 1;
  bool sent_ = false;
};

/// How many processes a launcher says that it started: by the variables of Open MPI, of PMI (MPICH, Intel MPI) and of a
/// step of Slurm; 1 without any.
[[nodiscard]] int launched_processes();

}  // namespace spress::pipeline
