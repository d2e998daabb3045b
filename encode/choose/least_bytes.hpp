// What formats take at least, found in a small part of the time that their sizes take.
#pragma once

#include <cstdint>

#include "formats/core/params.hpp"
#include "formats/csr/csr.hpp"

namespace spress {

struct LeastBytes {
  std::uint64_t index = 0;    ///< of the matrix, by its shape alone
  std::uint64_t columns = 0;  ///< of the sample, by where its columns are
  bool marks_slots = false;   ///< as held or padded, so that it pads, even if no row of a sample makes it do so
  /// Where the sample has all entries: the index bytes and slots that there must be, what rows are padded with
  /// included; else, and for most formats, 0. Unlike `index`, not far below what the format takes of very small
  /// matrices.
  std::uint64_t padded_index = 0, padded_slots = 0;
};

/// sample: some rows of the matrix. Requires: check_format(spec). Complexity: linear in the sample.
[[nodiscard]] LeastBytes least_bytes(const Csr<Viewed>& a, const Csr<Viewed>& sample, const Spec& spec);

}  // namespace spress
