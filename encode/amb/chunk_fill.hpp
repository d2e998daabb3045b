// Fills the arrays of an amb, window by window.
#pragma once

#include "encode/amb/layout_search.hpp"

namespace spress::amb {

/// Fills in all chunks and their values. Requires: `out` has its scalars, and arrays as long as `layout` says.
void fill_all_chunks(Format& out, const Csr<Viewed>& a, const BlockLayout& layout);

}  // namespace spress::amb
