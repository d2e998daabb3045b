// Fills the arrays of an amb, window by window.
#pragma once

#include "encode/amb/layout_search.hpp"

namespace spress::amb {

/// The chunks and their values. Requires: `out` has its scalars, and room as `layout` says.
void fill_all_chunks(Format& out, const Csr<Viewed>& a, const BlockLayout& layout);

}  // namespace spress::amb
