#include "formats/coo/bcoo.hpp"

namespace spress {

Status validate(const Bcoo<Viewed>& a) {
  SPRESS_CHECK(checks::chunk_length(a.chunk));
  return validate(as_coo(a));
}

}  // namespace spress
