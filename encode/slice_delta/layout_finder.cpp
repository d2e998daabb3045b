#include "encode/slice_delta/layout_finder.hpp"

#include <algorithm>
#include <utility>

#include "formats/core/threads.hpp"

namespace spress {
namespace {

/// The items that a thread takes at once: 16 to 256, so that a matrix of a few hundred items still keeps several
/// threads busy.
std::uint64_t items_at_once(std::uint64_t items) { return std::clamp<std::uint64_t>(items / 64, 16, 256); }

/// The items of a run.
struct ItemRange {
  std::uint64_t first = 0, last = 0;
};
ItemRange items_of_run(std::uint64_t run, std::uint64_t items) {
  const std::uint64_t first = run * items_at_once(items);
  return {first, std::min(first + items_at_once(items), items)};
}
std::uint64_t runs_of(std::uint64_t items) { return (items + items_at_once(items) - 1) / items_at_once(items); }

/// Finds the cheapest steps of each item of a run.
template <class Position>
void find_cheapest(const Csr<Viewed>& a, const Position* row_ptr, const DeltaPlan& plan, std::uint32_t block,
                   ItemRange run, FoundSteps& out) {
  Steps steps, other;
  StepWords words;
  out.items.reserve(run.last - run.first);
  for (std::uint64_t i = run.first; i < run.last; ++i) {
    if (i < plan.slices()) {
      lay_slice(lanes_of(a, row_ptr, plan.rows, block, i), steps, other);
    } else {
      const std::uint64_t p = i - plan.slices(), begin = plan.first_entry[p];
      const std::uint64_t end = std::min<std::uint64_t>(begin + piece_entries, row_ptr[plan.long_row[p] + 1]);
      lay_piece(first_column(plan.long_row[p], block), a.col_idx.data() + begin, a.col_idx.data() + end, steps);
    }
    out.add(steps, words);
  }
}

bool has_few_residuals(const FoundSteps::Description& item) {
  return item.residual_words != 0 && 8 * item.residual_words <= item.cost;
}

/// Replaces the steps of slices with few residuals by steps without any, where these cost at most twice as much.
/// Returns false where no slice changed. Gives up on a run whose slices mostly cannot do without.
template <class Position>
bool find_bare(const Csr<Viewed>& a, const Position* row_ptr, const DeltaPlan& plan, std::uint32_t block, ItemRange run,
               FoundSteps& in_out) {
  const std::uint64_t patience = (run.last - run.first) / 32;  // slices tried in vain before it gives up
  if (std::none_of(in_out.items.begin(), in_out.items.end(), has_few_residuals)) return false;
  FoundSteps out;
  Steps steps;
  StepWords words;
  std::uint64_t found = 0, tried = 0;
  const std::uint32_t* at = in_out.words.data();
  for (std::size_t k = 0; k < in_out.items.size(); ++k) {
    const FoundSteps::Description& cheap = in_out.items[k];
    const std::uint64_t i = run.first + k;
    const bool tries = has_few_residuals(cheap) && i < plan.slices() && tried <= 2 * found + patience;
    tried += tries ? 1 : 0;
    if (tries && lay_bare_slice(lanes_of(a, row_ptr, plan.rows, block, i), 2 * cheap.cost, steps)) {
      ++found;
      out.add(steps, words);
    } else {
      out.items.push_back(cheap);
      out.words.insert(out.words.end(), at, at + cheap.size);
    }
    at += cheap.size;
  }
  if (found != 0) in_out = std::move(out);
  return found != 0;
}

Result<DeltaLayout> place_all(const std::vector<FoundSteps>& runs, std::uint32_t block) {
  DeltaLayout out;
  out.block = block;
  StepDictionary dictionary(out.words);
  std::uint64_t items = 0;
  for (const FoundSteps& run : runs) items += run.items.size();
  out.items.reserve(items);
  if (!runs.empty()) out.words.reserve(2 * runs.front().words.size());  // later runs mostly repeat known descriptions
  for (const FoundSteps& run : runs) {
    const std::uint32_t* at = run.words.data();
    for (const FoundSteps::Description& each : run.items) {
      SPRESS_TRY(const std::uint32_t first_word, dictionary.place(at, each.size));
      out.items.push_back({each.entries, each.residual_words, first_word});
      out.residual_words += each.residual_words;
      out.steps += each.steps;
      at += each.size;
    }
  }
  out.words.resize((out.words.size() + 3) / 4 * 4);  // four steps are one load
  return out;
}

}  // namespace

LayoutFinder::LayoutFinder(const Csr<Viewed>& a, const DeltaPlan& plan, std::uint32_t block)
    : a_(a), plan_(plan), block_(block), runs_(runs_of(plan.items())) {}

template <class Work>
void LayoutFinder::for_each_run(const Work& work) {
  with_positions(a_.row_ptr, [&](const auto* row_ptr) {
    parallel_for_dynamic(runs_.size(), thread_count(0), [&](std::uint64_t run, std::size_t) {
      work(row_ptr, items_of_run(run, plan_.items()), runs_[run], run);
    });
  });
}

Result<DeltaLayout> LayoutFinder::cheapest() {
  for_each_run([&](const auto* row_ptr, ItemRange items, FoundSteps& run, std::uint64_t) {
    find_cheapest(a_, row_ptr, plan_, block_, items, run);
  });
  return place_all(runs_, block_);
}

Result<DeltaLayout> LayoutFinder::or_bare(DeltaLayout cheap) {
  std::vector<std::uint8_t> found(runs_.size());
  for_each_run([&](const auto* row_ptr, ItemRange items, FoundSteps& run, std::uint64_t k) {
    found[k] = find_bare(a_, row_ptr, plan_, block_, items, run) ? 1 : 0;
  });
  if (std::none_of(found.begin(), found.end(), [](std::uint8_t any) { return any != 0; })) return cheap;
  SPRESS_TRY(DeltaLayout bare, place_all(runs_, block_));
  return bare.is_better_than(cheap) ? std::move(bare) : std::move(cheap);
}

}  // namespace spress
