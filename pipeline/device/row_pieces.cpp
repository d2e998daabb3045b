#include "pipeline/device/row_pieces.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace spress::pipeline {
namespace {

/// Some elements of an array of any type.
AnyArray<Viewed> elements_of(const AnyArray<Viewed>& array, std::uint64_t first, std::uint64_t count) {
  AnyArray<Viewed> part;
  if (array.empty()) return array;
  part.bind(array.dtype(), static_cast<const std::uint8_t*>(array.raw()) + first * size_of(array.dtype()), count);
  return part;
}

}  // namespace

RowPart part_of_rows(const Csr<Viewed>& a, std::uint64_t first, std::uint64_t last) {
  const std::uint64_t begin = a.row_ptr.position(first), entries = a.row_ptr.position(last) - begin;
  RowPart part{Positions<Owned>(position_type(entries), last - first + 1), a};
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
  part.view.values.codes = elements_of(a.values.codes, begin, entries);
  part.view.values.count = entries;
  return part;
}

std::vector<std::uint64_t> cuts_by_entries(const Csr<Viewed>& a, std::uint64_t entries) {
  constexpr std::uint64_t unit = 32, large_unit = 1024;
  std::vector<std::uint64_t> cuts = {0};
  while (cuts.back() < a.rows) {
    const std::uint64_t first = cuts.back(), most = a.row_ptr.position(first) + std::max<std::uint64_t>(entries, 1);
    std::uint64_t low = first, high = a.rows;  // the last row at which no more than these have begun
    while (low < high) {
      const std::uint64_t middle = low + (high - low + 1) / 2;
      if (a.row_ptr.position(middle) <= most)
        low = middle;
      else
        high = middle - 1;
    }
    const std::uint64_t multiple = low - first >= 8 * large_unit ? large_unit : unit;
    const std::uint64_t last = low == a.rows ? low : low / multiple * multiple;
    cuts.push_back(std::min(a.rows, std::max(last, first / unit * unit + unit)));
  }
  return cuts;
}

std::uint64_t piece_bytes(std::uint64_t budget) {
  constexpr std::uint64_t most = 32 << 20, least = 1 << 20;
  return std::clamp(std::bit_floor(budget / 8), least, most);
}

#ifdef SPRESS_WITH_CUDA
namespace {

template <class T, template <class> class F>
Result<cuda::RowPiece<T>> packed_piece(const F<Owned>& f, std::uint64_t first_row) {
  cuda::RowPiece<T> piece;
  piece.first_row = first_row;
  SPRESS_TRY(piece.packed, cuda::allocate_pinned(std::max<std::size_t>(packed_size(f), 1), "a piece of the matrix"));
  const F<Viewed> host = pack(f, piece.packed.data());
  piece.product = [host](const void* device) { return cuda::product<T>(host, packed_view(host, device)); };
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
                std::vector<cuda::RowPiece<T>>& pieces) {
  constexpr std::uint64_t unit = 32;
  SPRESS_TRY(auto encoded, encode_rows(a, spec, first, last));
  if (packed_bytes(encoded) > 2 * bytes && last - first > unit) {
    encoded = AnyFormat{};
    const std::uint64_t middle = first + ((last - first) / 2 + unit - 1) / unit * unit;
    SPRESS_CHECK(add_rows(a, spec, first, middle, bytes, pieces));
    return add_rows(a, spec, middle, last, bytes, pieces);
  }
  Result<cuda::RowPiece<T>> piece = Error{ErrorCode::unsupported, "no format", {}, 0};
  with_any(encoded, [&](const auto& f) { piece = packed_piece<T>(f, first); });
  SPRESS_TRY(auto made, std::move(piece));
  pieces.push_back(std::move(made));
  return Ok{};
}

}  // namespace

template <class T>
Result<std::vector<cuda::RowPiece<T>>> row_pieces(const Csr<Viewed>& a, const Spec& spec, std::uint64_t bytes) {
  std::vector<cuda::RowPiece<T>> pieces;
  if (a.rows == 0) return pieces;
  // A sample tells how many entries make a piece of so many bytes.
  constexpr std::uint64_t csr_bytes_per_entry = 12;
  const std::uint64_t rows = cuts_by_entries(a, bytes / csr_bytes_per_entry)[1];
  SPRESS_TRY(const auto sample, encode_rows(a, spec, 0, rows));
  const double per_entry = static_cast<double>(std::max<std::uint64_t>(packed_bytes(sample), 1)) /
                           static_cast<double>(std::max<std::uint64_t>(a.row_ptr.position(rows), 1));
  const auto cuts = cuts_by_entries(a, static_cast<std::uint64_t>(static_cast<double>(bytes) / per_entry));
  for (std::size_t p = 0; p + 1 < cuts.size(); ++p)
    SPRESS_CHECK(add_rows<T>(a, spec, cuts[p], cuts[p + 1], bytes, pieces));
  return pieces;
}

template Result<std::vector<cuda::RowPiece<float>>> row_pieces(const Csr<Viewed>& a, const Spec& spec,
                                                               std::uint64_t bytes);
template Result<std::vector<cuda::RowPiece<double>>> row_pieces(const Csr<Viewed>& a, const Spec& spec,
                                                                std::uint64_t bytes);
#endif

}  // namespace spress::pipeline
