#include "pipeline/solve/ready_matrix.hpp"

#include "encode/shared/footprint.hpp"
#include "formats/core/threads.hpp"

namespace spress::pipeline {

Result<StoreKind> smallest_store_of(const Csr<Viewed>& a, const Spec& spec) {
  SPRESS_TRY(const auto sizes, footprints(a, {spec}, analyze::value_statistics(a.values, thread_count(0))));
  return smallest_store(sizes[0].store_bytes).value_or(StoreKind::raw);
}

Result<StoredValues> stored_in(const Csr<Viewed>& a, StoreKind values) {
  StoredValues out{values, {}, a};
  if (values == StoreKind::raw) return out;
  SPRESS_TRY(out.values, with_store(a.values, values));
  out.view.values = view_of(out.values);
  return out;
}

}  // namespace spress::pipeline
