// Between CSR and every format of the list. Each function is declared here for every row of formats/list.hpp and
// defined in encode/<format>.cpp; a format without its definitions does not link.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyze/value_statistics.hpp"
#include "formats/core/result.hpp"
#include "formats/csr/row_panel.hpp"
#include "formats/list.hpp"

namespace spress {

/// A count that explains a size, under a name of the format's own (docs/records.md lists them).
struct SizeDetail {
  std::string name;
  std::uint64_t count = 0;
};

/// The size a format would have, found without building it.
struct SizeEstimate {
  std::uint64_t index_bytes = 0;        ///< exactly what byte_totals(encode(a)).index_bytes will be
  std::uint64_t model_index_bytes = 0;  ///< the paper's formula; index_bytes where the paper has none
  std::uint64_t value_slots = 0;        ///< values stored, padding included
  /// Set where a format codes values in a way of its own, inside its layout: exactly what
  /// byte_totals(encode(a)).value_bytes will be. Such a format takes raw stores only.
  std::optional<std::uint64_t> own_value_bytes = std::nullopt;
  std::vector<SizeDetail> details = {};  ///< what the format would choose, and why it takes what it takes
  bool by_row_lengths = false;  ///< the columns do not matter: quick to find, and a few long rows may decide it
  bool pads_long_rows = false;  ///< a row is padded to the longest one of its slice, so long rows add padding
};

/// The size of a matrix that comes in panels.
class SizeStream {
 public:
  virtual ~SizeStream() = default;
  /// Takes the next panel. Throws std::bad_alloc.
  virtual void add(const RowPanel& panel) = 0;
  /// Gives what `estimate` gives for the whole matrix. values: statistics of all its raw values. Called once, behind
  /// the last panel. Errors: as encode.
  [[nodiscard]] virtual Result<SizeEstimate> size(const WholeMatrix& whole, const analyze::ValueStatistics& values) = 0;
};

template <template <class> class F>
using ParamsOf = typename F<Owned>::Params;

/// The matrix in format F. Values are moved as codes: the store of `a` is the store of the result.
/// Requires: validate(a) holds. Errors: not_applicable where F cannot hold the matrix; usage for bad parameters.
template <template <class> class F>
[[nodiscard]] Result<F<Owned>> encode(const Csr<Viewed>& a, const ParamsOf<F>& params);

/// The CSR that was encoded, bit for bit. Requires: validate(f) holds.
template <template <class> class F>
[[nodiscard]] Csr<Owned> decode(const F<Viewed>& f);

/// Errors: as encode.
template <template <class> class F>
[[nodiscard]] Result<SizeEstimate> estimate(const Csr<Viewed>& a, const ParamsOf<F>& params);

/// Defined for formats that declare `static constexpr bool sized_by_panels = true`: those whose size is the sum of what
/// rows take one after another, in memory that does not grow with the matrix.
template <template <class> class F>
[[nodiscard]] std::unique_ptr<SizeStream> size_stream(const ParamsOf<F>& params);

#define SPRESS_ROW(F)                                                                     \
  template <>                                                                             \
  Result<F<Owned>> encode<F>(const Csr<Viewed>& a, const F<Owned>::Params& params);       \
  template <>                                                                             \
  Csr<Owned> decode<F>(const F<Viewed>& f);                                               \
  template <>                                                                             \
  Result<SizeEstimate> estimate<F>(const Csr<Viewed>& a, const F<Owned>::Params& params); \
  template <>                                                                             \
  std::unique_ptr<SizeStream> size_stream<F>(const F<Owned>::Params& params);
SPRESS_FORMATS(SPRESS_ROW)
#undef SPRESS_ROW

}  // namespace spress
