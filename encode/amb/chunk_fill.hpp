// Fills the arrays of an amb, window by window.
#pragma once

#include "encode/amb/segments.hpp"

namespace spress::amb {

/// Fills in all chunks and their values. stepped: each step has a base, and there is one segment. Requires: `out` has
/// its scalars, and arrays of their right lengths.
void fill_all_chunks(Format& out, const Csr<Viewed>& a, const Segments& segments, bool stepped);

}  // namespace spress::amb
