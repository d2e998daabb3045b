#ifdef SPRESS_WITH_CUSPARSE
#include "kernels/cuda/peers/cusparse_matrix.cuh"

#include <algorithm>
#include <array>
#include <limits>

#include "kernels/cuda/peers/cusparse_arrays.hpp"

namespace spress::cuda::cusparse {
namespace {

template <class Index>
Result<const void*> columns(const Algorithm& peer, const BothMatrices& a, PeerMatrix& held) {
  if constexpr (sizeof(Index) == sizeof(std::uint32_t))
    return held.in_place(a.device.col_idx.data(), a.device.col_idx.bytes());
  else
    return held.put(converted<Index>(a.host.col_idx, a.threads), peer);
}

template <class Index>
Result<const void*> row_pointers(const Algorithm& peer, const BothMatrices& a, PeerMatrix& held) {
  if (size_of(a.device.row_ptr.dtype()) == sizeof(Index))
    return held.in_place(a.device.row_ptr.raw(), a.device.row_ptr.bytes());
  return held.put(converted<Index>(a.host.row_ptr, a.threads), peer);
}

template <class T>
Result<const void*> values(const Algorithm& peer, const BothMatrices& a, PeerMatrix& held) {
  if (a.host.values.type == ValueType::none) return held.put(HostArray<T>(a.host.nnz, T(1)), peer);
  return held.in_place(a.device.values.codes.raw(), a.device.values.codes.bytes());
}

template <class T, class Index>
Status make_csr(const Algorithm& peer, const BothMatrices& a, PeerMatrix& held) {
  SPRESS_TRY(const void* row_ptr, row_pointers<Index>(peer, a, held));
  SPRESS_TRY(const void* col_idx, columns<Index>(peer, a, held));
  SPRESS_TRY(const void* numbers, values<T>(peer, a, held));
  cusparseConstSpMatDescr_t matrix = nullptr;
  SPRESS_CUSPARSE_TRY(peer, create_csr, &matrix, a.host.rows, a.host.cols, a.host.nnz, row_ptr, col_idx, numbers,
                      index_type<Index>, index_type<Index>, CUSPARSE_INDEX_BASE_ZERO, data_type<T>);
  held.matrix.reset(matrix);
  return Ok{};
}

template <class T, class Index>
Status make_coo(const Algorithm& peer, const BothMatrices& a, PeerMatrix& held) {
  SPRESS_TRY(const void* row_idx, held.put(row_of_each_entry<Index>(a.host, a.threads), peer));
  SPRESS_TRY(const void* col_idx, columns<Index>(peer, a, held));
  SPRESS_TRY(const void* numbers, values<T>(peer, a, held));
  cusparseConstSpMatDescr_t matrix = nullptr;
  SPRESS_CUSPARSE_TRY(peer, create_coo, &matrix, a.host.rows, a.host.cols, a.host.nnz, row_idx, col_idx, numbers,
                      index_type<Index>, CUSPARSE_INDEX_BASE_ZERO, data_type<T>);
  held.matrix.reset(matrix);
  return Ok{};
}

template <class T, class Index>
Status make_sliced_ell(const Algorithm& peer, const BothMatrices& a, PeerMatrix& held) {
  const auto made = sliced_ell<T, Index>(a.host, a.threads);
  SPRESS_TRY(const void* slice_start, held.put(made.slice_start, peer));
  SPRESS_TRY(const void* col_idx, held.put(made.col_idx, peer));
  SPRESS_TRY(const void* numbers, held.put(made.values, peer));
  cusparseConstSpMatDescr_t matrix = nullptr;
  SPRESS_CUSPARSE_TRY(peer, create_sliced_ell, &matrix, a.host.rows, a.host.cols, a.host.nnz, made.values.size(),
                      slice_rows, slice_start, col_idx, numbers, index_type<Index>, index_type<Index>,
                      CUSPARSE_INDEX_BASE_ZERO, data_type<T>);
  held.matrix.reset(matrix);
  return Ok{};
}

template <class T>
Status make_blocks(const Algorithm& peer, const BothMatrices& a, std::uint64_t size, PeerMatrix& held) {
  const auto made = bsr<T, std::int32_t>(a.host, size, a.threads);
  SPRESS_TRY(const void* row_ptr, held.put(made.row_ptr, peer));
  SPRESS_TRY(const void* col_idx, held.put(made.col_idx, peer));
  SPRESS_TRY(const void* numbers, held.put(made.values, peer));
  cusparseConstSpMatDescr_t matrix = nullptr;
  SPRESS_CUSPARSE_TRY(peer, create_bsr, &matrix, a.host.rows / size, a.host.cols / size, made.col_idx.size(), size,
                      size, row_ptr, col_idx, numbers, index_type<std::int32_t>, index_type<std::int32_t>,
                      CUSPARSE_INDEX_BASE_ZERO, data_type<T>, CUSPARSE_ORDER_COL);
  held.matrix.reset(matrix);
  held.note = ", blocks of " + std::to_string(size) + "x" + std::to_string(size);
  return Ok{};
}

// --- Which layouts fit and pay ---

/// Whether ids, positions and `slots` are at most 2^31 - 1, so that 32-bit indices hold them.
bool narrow(const Csr<Viewed>& a, std::uint64_t slots) {
  constexpr std::uint64_t largest = std::numeric_limits<std::int32_t>::max();
  return std::max({a.rows, a.cols, a.nnz, slots}) <= largest;
}

struct Blocks {
  std::uint64_t size = 0, count = 0, bytes = 0;
  double time = 0;  ///< of a product, in any unit
};

std::uint64_t index_bytes(const Csr<Viewed>& a) { return narrow(a, a.nnz) ? 4 : 8; }

/// The speed at which cuSPARSE 12.6 reads blocks by size, relative to the fastest: on an H200, by columns, double.
constexpr std::array<double, most_block_size + 1> block_speed = {0, 0, 0.5, 0.95, 1, 1, 0.5};

/// The blocks that take the least time for their bytes; size 0 where no size divides rows and columns. Other sizes are
/// not tried: padded blocks at the edge would read beyond the end of x.
template <class T>
Blocks best_blocks(const Csr<Viewed>& a, int threads) {
  const std::uint64_t index = index_bytes(a);
  Blocks best;
  for (std::uint64_t size = 2; size <= most_block_size; ++size) {
    if (a.rows % size != 0 || a.cols % size != 0) continue;
    const std::uint64_t count = bsr_blocks(a, size, threads);
    const std::uint64_t bytes = count * (size * size * sizeof(T) + index) + (a.rows / size + 1) * index;
    const double time = static_cast<double>(bytes) / block_speed[size];
    if (best.size == 0 || time < best.time) best = {size, count, bytes, time};
  }
  return best;
}

template <class T>
Status make_bsr(const Algorithm& peer, const BothMatrices& a, PeerMatrix& held) {
  const Blocks best = best_blocks<T>(a.host, a.threads);
  if (best.size == 0) return refused(peer, "needs a block size of 2 to 6 that divides rows and columns");
  const std::uint64_t csr_bytes =
      a.host.nnz * (sizeof(T) + index_bytes(a.host)) + (a.host.rows + 1) * index_bytes(a.host);
  if (best.bytes >= csr_bytes)
    return refused(peer, "does not pay: blocks of " + std::to_string(best.size) + " take " +
                             std::to_string(best.bytes) + " bytes, CSR " + std::to_string(csr_bytes));
  // Given 64-bit indices for columns beyond 2^31, cuSPARSE 12.6 reads outside of the arrays.
  if (!narrow(a.host, best.count * best.size * best.size))
    return refused(peer, "takes 32-bit indices only, which this matrix exceeds");
  return make_blocks<T>(peer, a, best.size, held);
}

/// The same limit as our padded formats have.
template <class T>
Status make_sliced_ell(const Algorithm& peer, const BothMatrices& a, PeerMatrix& held) {
  const std::uint64_t slots = sliced_ell_slots(a.host, a.threads), most = 16 * a.host.nnz + (1u << 20);
  if (slots > most)
    return refused(peer, "would pad " + std::to_string(a.host.nnz) + " entries to " + std::to_string(slots) +
                             " slots; at most 16 * nnz + 2^20 = " + std::to_string(most) + " are held");
  return narrow(a.host, slots) ? make_sliced_ell<T, std::int32_t>(peer, a, held)
                               : make_sliced_ell<T, std::int64_t>(peer, a, held);
}

}  // namespace

template <class T>
Status make_matrix(const Algorithm& peer, const BothMatrices& a, PeerMatrix& held) {
  const bool fits = narrow(a.host, a.host.nnz);
  switch (peer.layout) {
    case Layout::csr: return fits ? make_csr<T, std::int32_t>(peer, a, held) : make_csr<T, std::int64_t>(peer, a, held);
    case Layout::coo: return fits ? make_coo<T, std::int32_t>(peer, a, held) : make_coo<T, std::int64_t>(peer, a, held);
    case Layout::sliced_ell: return make_sliced_ell<T>(peer, a, held);
    case Layout::bsr: break;
  }
  return make_bsr<T>(peer, a, held);
}

template Status make_matrix<float>(const Algorithm& peer, const BothMatrices& a, PeerMatrix& held);
template Status make_matrix<double>(const Algorithm& peer, const BothMatrices& a, PeerMatrix& held);

}  // namespace spress::cuda::cusparse
#endif
