// The processes that mpirun or srun started as one run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/core/result.hpp"
#include "pipeline/ranks/mpi_functions.hpp"

namespace spress::pipeline {

/// The place of a rank among all, and on its machine.
struct RankPlace {
  int rank = 0, size = 1;
  int node = 0;       ///< the first rank on this machine
  int node_size = 1;  ///< the ranks on it
};

/// The processors for one of so many ranks on this machine: those that it may run on, and no more than its part.
[[nodiscard]] int processors_of_rank(int ranks_here);

/// This process among those of its run. The first, the leader, decides and reports; the others work for it.
class Ranks {
 public:
  /// Joins the others by MPI, or is alone where no launcher started several processes.
  /// Errors: unsupported where several were started and MPI is not installed, or sees each of them alone; usage where
  /// their command lines differ.
  [[nodiscard]] static Result<Ranks> join();
  /// Joins by these functions. Requires: they outlive it.
  [[nodiscard]] static Ranks join(const MpiFunctions& mpi);
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

  /// One value of each rank, in their order. All of it below 2 GiB. Requires: joined(), or alone.
  template <class V>
  [[nodiscard]] std::vector<V> gather(const V& mine) const {
    static_assert(std::is_trivially_copyable_v<V>);
    std::vector<V> all(static_cast<std::size_t>(size()), mine);
    if (joined()) mpi_->gather(&mine, sizeof mine, all.data());
    return all;
  }
  /// So many of each rank, one rank after another. Requires: the same number on all.
  template <class V>
  [[nodiscard]] std::vector<V> gather(std::span<const V> mine) const {
    static_assert(std::is_trivially_copyable_v<V>);
    std::vector<V> all(mine.size() * static_cast<std::size_t>(size()));
    if (joined())
      mpi_->gather(mine.data(), mine.size_bytes(), all.data());
    else
      std::copy(mine.begin(), mine.end(), all.begin());
    return all;
  }

  /// The largest value of all ranks; their sum, added in their order, so that all get the same bits.
  template <class V>
  [[nodiscard]] V largest(V mine) const {
    const auto all = gather(mine);
    return *std::max_element(all.begin(), all.end());
  }
  template <class V>
  [[nodiscard]] V sum(V mine) const {
    const auto all = gather(mine);
    return std::accumulate(all.begin(), all.end(), V(0));
  }
  /// Makes each value the sum of those of all ranks.
  template <class V>
  void add_up(std::span<V> values) const {
    const auto all = gather(std::span<const V>(values));
    std::fill(values.begin(), values.end(), V(0));
    for (std::size_t i = 0; i < all.size(); ++i) values[i % values.size()] += all[i];
  }

  /// Gives each rank a list, lists[rank], and returns those that the ranks give to this one, in their order.
  template <class V>
  [[nodiscard]] std::vector<std::vector<V>> exchange(std::vector<std::vector<V>> lists) const {
    const auto self = static_cast<std::size_t>(rank()), ranks = static_cast<std::size_t>(size());
    std::vector<std::uint64_t> counts;
    for (const auto& list : lists) counts.push_back(list.size());
    const auto counts_of_all = gather(std::span<const std::uint64_t>(counts));
    std::vector<std::vector<V>> out(ranks);
    std::vector<RankMessage> receives, sends;
    for (std::size_t r = 0; r < ranks; ++r) {
      if (r == self) continue;
      out[r].resize(counts_of_all[r * ranks + self]);
      if (!out[r].empty()) receives.push_back({static_cast<int>(r), out[r].data(), out[r].size() * sizeof(V)});
      if (!lists[r].empty()) sends.push_back({static_cast<int>(r), lists[r].data(), lists[r].size() * sizeof(V)});
    }
    post(receives, sends);
    wait();
    out[self] = std::move(lists[self]);
    return out;
  }

  /// Begins to receive and to send messages; wait() ends it. Empty ones go nowhere. Requires: joined(), or none is
  /// given.
  void post(std::span<const RankMessage> received, std::span<const RankMessage> sent) const;
  void wait() const;

  /// Good where it is good on all ranks, else on all the error of the first that has one. Requires: joined(), or alone.
  [[nodiscard]] Status agree(const Status& mine) const;
  template <class V>
  [[nodiscard]] Result<V> agree(Result<V> mine) const {
    SPRESS_CHECK(agree(mine.ok() ? Status(Ok{}) : Status(mine.error())));
    return mine;
  }

  /// Errors: unreadable where other ranks have another number. what: it stands for that, as in "matrix".
  [[nodiscard]] Status check_same(std::uint64_t number, const char* what) const;

  /// Ends all processes, whatever they wait for. Requires: joined().
  void end_all(int exit_code) const { mpi_->abort(exit_code); }

  /// The processors for this rank: those that it may run on, and no more than its part of the machine.
  [[nodiscard]] int processors() const { return processors_of_rank(place_.node_size); }

  /// Leaves MPI: from here on, a rank that ends early holds nobody up.
  void leave();

 private:
  Ranks() = default;

  const MpiFunctions* mpi_ = nullptr;  ///< null where there is one process, and after leave()
  RankPlace place_;
  bool sent_ = false;
};

/// Errors: usage for standard input, which reaches only the first of several processes.
[[nodiscard]] Status check_input_of_ranks(const std::string& input);

/// How many processes a launcher says that it started: by the variables of Open MPI, of PMI (MPICH, Intel MPI) and of a
/// step of Slurm; 1 without any.
[[nodiscard]] int launched_processes();

}  // namespace spress::pipeline
