#include "pipeline/byte_cost.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "encode/shared/footprint.hpp"
#include "formats/core/threads.hpp"

namespace spress::pipeline {
namespace {

constexpr std::uint64_t unfit = std::numeric_limits<std::uint64_t>::max();

}  // namespace

reorder::Cost byte_cost(std::vector<Spec> formats, const analyze::ValueStatistics& statistics,
                        std::optional<StoreKind> values) {
  return [formats = std::move(formats), statistics, values](const Csr<Viewed>& a) {
    const DefaultThreads scope(threads_worth(0, a.nnz));
    const auto sizes = footprints(a, formats, statistics);
    std::uint64_t least = unfit;
    if (sizes.ok())
      for (const Footprint& f : *sizes)
        if (const auto smallest = f.smallest(values)) least = std::min(least, smallest->total_bytes);
    return least;
  };
}

}  // namespace spress::pipeline
