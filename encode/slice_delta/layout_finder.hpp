// Finds the steps of all items for one block.
#pragma once

#include <cstdint>
#include <vector>

#include "encode/slice_delta/delta_plan.hpp"

namespace spress {

/// The descriptions of a run of items, one after another, as one thread finds them.
struct FoundSteps {
  struct Description {
    std::uint32_t size, steps;
    std::uint64_t entries, residual_words, cost;
  };
  StepWords words;  // heads included
  std::vector<Description> items;

  void add(const Steps& steps, StepWords& scratch) {
    describe_steps(steps, scratch);
    words.insert(words.end(), scratch.begin(), scratch.end());
    items.push_back({static_cast<std::uint32_t>(scratch.size()), static_cast<std::uint32_t>(steps.list.size()),
                     steps.entries, steps.residual_words, steps.cost()});
  }
};

/// The steps of all items for one block, found in two passes.
class LayoutFinder {
 public:
  LayoutFinder(const Csr<Viewed>& a, const DeltaPlan& plan, std::uint32_t block);

  /// The cheapest steps of each item. Errors: too_large.
  [[nodiscard]] Result<DeltaLayout> cheapest();
  /// The better of `cheap`, which cheapest() found, and a layout with fewer residuals. Steps without residuals may cost
  /// one slice more, but many slices share them, and kernels are faster where a matrix has no residuals.
  /// Errors: too_large.
  [[nodiscard]] Result<DeltaLayout> or_bare(DeltaLayout cheap);

 private:
  template <class Work>
  void for_each_run(const Work& work);

  const Csr<Viewed>& a_;
  const DeltaPlan& plan_;
  std::uint32_t block_;
  std::vector<FoundSteps> runs_;
};

}  // namespace spress
