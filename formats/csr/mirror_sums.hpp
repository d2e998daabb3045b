// Whether a matrix that comes in panels is its own mirror image.
#pragma once

#include <cstdint>

#include "formats/csr/row_panel.hpp"

namespace spress {

/// The way in which an entry above the diagonal is that of the mirrored place below it.
enum class Mirror : std::uint8_t {
  pattern,    ///< it is there
  symmetric,  ///< its value has the same bits
  skew,       ///< its value has the other sign
  hermitian   ///< the imaginary part of its value has the other sign
};

/// Compares the sums of hashes of the entries above the diagonal and of those below it. The hashes have 128 bits and a
/// key drawn by chance, so that no file can be made to mislead them. A matrix that is not mirrored is taken for one
/// that is one time in 2^128.
class MirrorSums {
 public:
  explicit MirrorSums(Mirror mirror = Mirror::pattern);
  /// Requires: raw values of type double or complex-double, or none, for all but Mirror::pattern.
  void add(const RowPanel& panel);
  /// Requires: all panels of a square matrix were added.
  [[nodiscard]] bool balanced() const { return sums_[0] == 0 && sums_[1] == 0; }

 private:
  template <class HashValue>
  void add_entries(const RowPanel& panel, const HashValue& hash_value);

  Mirror mirror_;
  std::uint64_t keys_[2], sums_[2] = {0, 0};
};

}  // namespace spress
