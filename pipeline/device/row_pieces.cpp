#include "pipeline/device/row_pieces.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "encode/shared/common.hpp"
#include "formats/core/clock.hpp"
#ifdef SPRESS_WITH_CUDA
#include "pipeline/device/chosen_product.hpp"
#endif

namespace spress::pipeline {
RowPart part_of_rows(const Csr<Viewed>& a, std::uint64_t first, std::uint64_t last) {
  const std::uint64_t begin = a.row_ptr.position(first), entries = a.row_ptr.position(last) - begin;
  RowPart part{make_positions(last - first + 1, entries), a};
  fill_positions(part.row_ptr, [&](auto* to) {
    with_positions(a.row_ptr, [&](const auto* from) {
      for (std::uint64_t i = 0; i <= last - first; ++i)
        to[i] = static_cast<std::remove_reference_t<decltype(*to)>>(from[first + i] - begin);
    });
  });
  part.view.rows = last - first;
  part.view.nnz = entries;
  part.view.row_ptr.bind(part.row_ptr.dtype(), part.row_ptr.raw(), part.row_ptr.size());
  part.view.col_idx.bind(DType::u32, a.col_idx.data() + begin, entries);
  part.view.values = slice_of(a.values, begin, entries);
  return part;
}

std::uint64_t cut_by_entries(const Csr<Viewed>& a, std::uint64_t first, std::uint64_t entries) {
  constexpr std::uint64_t unit = 32, large_unit = 1024;
  const std::uint64_t last = with_positions(a.row_ptr, [&](const auto* row_ptr) {
    const auto behind = std::upper_bound(row_ptr + first, row_ptr + a.rows + 1, row_ptr[first] + entries);
    return static_cast<std::uint64_t>(behind - row_ptr) - 1;
  });
  if (last == a.rows) return last;
  const std::uint64_t multiple = last - first >= 8 * large_unit ? large_unit : unit;
  return std::min(a.rows, std::max(last / multiple * multiple, first + unit));
}

std::uint64_t piece_bytes(std::uint64_t budget) {
  constexpr std::uint64_t most = 32 << 20, least = 1 << 20;
  return std::clamp(std::bit_floor(budget / 8), least, most);
}

#ifdef SPRESS_WITH_CUDA
namespace {

template <class T, template <class> class F>
Result<cuda::StreamedRows<T>> packed_piece(const F<Owned>& f, const Spec& spec, std::uint64_t first_row) {
  cuda::StreamedRows<T> piece;
  piece.first_row = first_row;
  SPRESS_TRY(piece.packed, cuda::allocate_pinned(std::max(packed_size(f), packing_alignment), "a piece of the matrix"));
  const F<Viewed> host = pack(f, piece.packed.data());
  piece.product = [host, spec](const void* device) { return chosen_product<T>(host, packed_view(host, device), spec); };
  return piece;
}

std::uint64_t packed_bytes(const AnyFormat& any) {
  std::uint64_t bytes = 0;
  with_any(any, [&](const auto& f) { bytes = packed_size(f); });
  return bytes;
}

Result<AnyFormat> encode_rows(const Csr<Viewed>& a, const Spec& spec, std::uint64_t first, std::uint64_t last) {
  const RowPart part = part_of_rows(a, first, last);
  return encode_any(part.view, spec);
}

/// Adds the rows as a piece, or as several where they take much more than the bytes asked for.
template <class T>
Status add_rows(const Csr<Viewed>& a, const Spec& spec, std::uint64_t first, std::uint64_t last, std::uint64_t bytes,
                std::vector<cuda::StreamedRows<T>>& pieces) {
  constexpr std::uint64_t unit = 32;
  SPRESS_TRY(auto encoded, encode_rows(a, spec, first, last));
  if (packed_bytes(encoded) > 2 * bytes && last - first > unit) {
    encoded = AnyFormat{};
    const std::uint64_t middle = first + ((last - first) / 2 + unit - 1) / unit * unit;
    SPRESS_CHECK(add_rows(a, spec, first, middle, bytes, pieces));
    return add_rows(a, spec, middle, last, bytes, pieces);
  }
  Result<cuda::StreamedRows<T>> piece = Error{ErrorCode::unsupported, "no format"};
  with_any(encoded, [&](const auto& f) { piece = packed_piece<T>(f, spec, first); });
  SPRESS_TRY(auto made, std::move(piece));
  pieces.push_back(std::move(made));
  return Ok{};
}

}  // namespace

template <class T>
Result<std::vector<cuda::StreamedRows<T>>> row_pieces(const Csr<Viewed>& a, const Spec& spec, std::uint64_t bytes) {
  std::vector<cuda::StreamedRows<T>> pieces;
  if (a.rows == 0) return pieces;
  // A sample tells how many entries make a piece of so many bytes.
  constexpr std::uint64_t csr_bytes_per_entry = 12;
  const std::uint64_t rows = cut_by_entries(a, 0, bytes / csr_bytes_per_entry);
  SPRESS_TRY(const auto sample, encode_rows(a, spec, 0, rows));
  const double per_entry = static_cast<double>(std::max<std::uint64_t>(packed_bytes(sample), 1)) /
                           static_cast<double>(std::max<std::uint64_t>(a.row_ptr.position(rows), 1));
  const auto entries = static_cast<std::uint64_t>(static_cast<double>(bytes) / per_entry);
  for (std::uint64_t first = 0; first < a.rows;) {
    const std::uint64_t last = cut_by_entries(a, first, entries);
    SPRESS_CHECK(add_rows<T>(a, spec, first, last, bytes, pieces));
    first = last;
  }
  return pieces;
}

template <class T>
Result<RowsInPieces<T>> rows_in_pieces(const Csr<Viewed>& a, const Spec& spec, std::uint64_t budget) {
  try {
    const auto start = Clock::now();
    RowsInPieces<T> out;
    SPRESS_TRY(auto pieces, row_pieces<T>(a, spec, piece_bytes(budget)));
    out.encode_seconds = seconds_since(start);
    SPRESS_TRY(out.streamed, cuda::streamed_product<T>(std::move(pieces), budget));
    out.transfer_seconds = seconds_since(start) - out.encode_seconds;
    return out;
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

template Result<RowsInPieces<float>> rows_in_pieces(const Csr<Viewed>& a, const Spec& spec, std::uint64_t budget);
template Result<RowsInPieces<double>> rows_in_pieces(const Csr<Viewed>& a, const Spec& spec, std::uint64_t budget);
template Result<std::vector<cuda::StreamedRows<float>>> row_pieces(const Csr<Viewed>& a, const Spec& spec,
                                                                   std::uint64_t bytes);
template Result<std::vector<cuda::StreamedRows<double>>> row_pieces(const Csr<Viewed>& a, const Spec& spec,
                                                                    std::uint64_t bytes);
#endif

}  // namespace spress::pipeline
