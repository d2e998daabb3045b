#pragma once

#include "formats/csr/csr.hpp"

namespace spress {

/// B(j, i) = A(i, j): values moved by bits, in the store of `a`. Requires: validate(a) holds. Throws std::bad_alloc.
[[nodiscard]] Csr<Owned> transpose(const Csr<Viewed>& a);

}  // namespace spress
