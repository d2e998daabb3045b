#include "formats/coo/bccoo_gpu.hpp"

#include <algorithm>
#include <numeric>

#include "encode/coo/value_lut.hpp"
#include "encode/shared/codec.hpp"
#include "encode/shared/common.hpp"
#include "encode/shared/rows.hpp"

namespace spress {
namespace {

using namespace bccoo_gpu;

/// The arrays of all chunks, and where their entries and tuples begin.
struct WarpTuplePlan {
  HostArray<std::uint32_t> row, column;      // chunks
  HostArray<std::uint8_t> format;            // chunks
  std::vector<std::uint64_t> first, offset;  // chunks + 1: entries, bytes
  std::uint64_t data_value_bytes = 0;
  std::size_t codes = 0;  // values of the table up to the last one in use
};

/// Cuts the entries into chunks: `first` and `row` of each.
template <class Position>
void cut(const Csr<Viewed>& a, const Position* row_ptr, std::uint64_t b, WarpTuplePlan& plan) {
  std::vector<std::uint32_t> rows;
  for (std::uint64_t k = 0, row = 0; k < a.nnz;) {
    row += row_of_entry(row_ptr + row, a.rows - row, k);
    plan.first.push_back(k);
    rows.push_back(static_cast<std::uint32_t>(row));
    k = std::min<std::uint64_t>(k + b, row_ptr[std::min(a.rows, row + row_limit)]);
  }
  plan.first.push_back(a.nnz);
  plan.row = HostArray<std::uint32_t>(std::span<const std::uint32_t>(rows));
}

/// How chunk h is coded. Returns the codes of the table that it needs, 0 if it holds full values.
template <class Bits>
unsigned choose(const Csr<Viewed>& a, std::uint64_t h, const ValueLut<Bits>& lut, WarpTuplePlan& plan) {
  const std::uint64_t first = plan.first[h], last = plan.first[h + 1];
  std::uint32_t low = a.col_idx[first], high = low;
  for (std::uint64_t k = first; k < last; ++k) {
    low = std::min(low, a.col_idx[k]);
    high = std::max(high, a.col_idx[k]);
  }
  int largest = ValueLut<Bits>::holds_values ? 0 : ValueLut<Bits>::absent;
  for (std::uint64_t k = first; k < last && largest != ValueLut<Bits>::absent; ++k) {
    const int code = lut.code(k);
    largest = code == ValueLut<Bits>::absent ? code : std::max(largest, code);
  }
  const bool table = largest != ValueLut<Bits>::absent;
  const std::uint32_t span = high - low;
  plan.column[h] = low;
  plan.format[h] = static_cast<std::uint8_t>((span > 0xFFFF ? 2u : span > 0xFF ? 1u : 0u) | (table ? by_table : 0u));
  return table ? static_cast<unsigned>(largest) + 1 : 0;
}

template <class Bits>
WarpTuplePlan plan_for(const Csr<Viewed>& a, std::uint64_t b, const ValueLut<Bits>& lut) {
  WarpTuplePlan plan;
  with_positions(a.row_ptr, [&](const auto* row_ptr) { cut(a, row_ptr, b, plan); });
  const std::uint64_t chunks = plan.row.size();
  plan.column = HostArray<std::uint32_t>(chunks);
  plan.format = HostArray<std::uint8_t>(chunks);
  plan.offset.resize(chunks + 1);
  unsigned codes = 0;
  std::uint64_t value_bytes = 0;
#pragma omp parallel for schedule(dynamic, 16) reduction(max : codes) reduction(+ : value_bytes)
  for (std::uint64_t h = 0; h < chunks; ++h) {
    codes = std::max(codes, choose(a, h, lut, plan));
    const std::uint64_t entries = plan.first[h + 1] - plan.first[h];
    with_tuple<width_of_bits<Bits>>(plan.format[h], [&]<class Tuple>(Tuple) {
      plan.offset[h + 1] = entries * Tuple::bytes;
      value_bytes += entries * Tuple::value_bytes;
    });
  }
  std::partial_sum(plan.offset.begin(), plan.offset.end(), plan.offset.begin());
  plan.data_value_bytes = value_bytes;
  plan.codes = codes;
  return plan;
}

template <class Tuple, class Position, class Bits>
void write_chunk(const Csr<Viewed>& a, const Position* row_ptr, std::uint64_t h, const ValueLut<Bits>& lut,
                 const WarpTuplePlan& plan, std::uint8_t* at) {
  std::uint64_t row = plan.row[h];
  for (std::uint64_t k = plan.first[h]; k < plan.first[h + 1]; ++k, at += Tuple::bytes) {
    while (k >= row_ptr[row + 1]) ++row;
    at[0] = static_cast<std::uint8_t>(row - plan.row[h]);
    const auto column = static_cast<typename Tuple::ColumnPart>(a.col_idx[k] - plan.column[h]);
    std::memcpy(at + Tuple::column_at, &column, sizeof column);
    if constexpr (Tuple::in_table) {
      at[Tuple::value_at] = static_cast<std::uint8_t>(lut.code(k));
    } else if constexpr (Tuple::value_bytes != 0) {
      const Bits bits = lut.bits(k);
      std::memcpy(at + Tuple::value_at, &bits, sizeof bits);
    }
  }
}

Status check_input(const Csr<Viewed>& a, const ChunkParams& params) {
  SPRESS_CHECK(check(BccooGpu<Owned>::name, params));
  return require_raw(a.values, BccooGpu<Owned>::name);
}

/// Puts the entries of a chunk, from `k` on, into place, and the row pointers of the rows behind its first one up to
/// `last_row`, where the next chunk begins.
template <class Tuple, class Bits, class Position>
void read_chunk(const BccooGpu<Viewed>& f, std::uint64_t h, std::uint64_t k, std::uint64_t last_row, Position* row_ptr,
                std::uint32_t* col_idx, Bits* values) {
  [[maybe_unused]] const auto* lut = static_cast<const Bits*>(f.lut.raw());
  const std::uint8_t* end = f.data.data() + f.offset.position(h + 1);
  std::uint64_t row = f.row[h];
  for (const std::uint8_t* at = f.data.data() + f.offset.position(h); at < end; at += Tuple::bytes, ++k) {
    while (row < f.row[h] + std::uint64_t{at[0]}) row_ptr[++row] = static_cast<Position>(k);
    col_idx[k] = f.column[h] + load_unaligned<typename Tuple::ColumnPart>(at + Tuple::column_at);
    if constexpr (Tuple::in_table)
      values[k] = lut[at[Tuple::value_at]];
    else if constexpr (Tuple::value_bytes != 0)
      values[k] = load_unaligned<Bits>(at + Tuple::value_at);
  }
  while (row < last_row) row_ptr[++row] = static_cast<Position>(k);
}

/// Chunk h, whose entries begin at `k`, whatever its format.
template <class Bits, class Position>
void read_any_chunk(const BccooGpu<Viewed>& f, std::uint64_t h, std::uint64_t k, Position* row_ptr,
                    std::uint32_t* col_idx, Bits* values) {
  const std::uint64_t last_row = h + 1 < f.row.size() ? f.row[h + 1] : f.rows;
  with_tuple<width_of_bits<Bits>>(
      f.format[h], [&]<class Tuple>(Tuple) { read_chunk<Tuple>(f, h, k, last_row, row_ptr, col_idx, values); });
}

/// Where the entries of each chunk begin.
template <std::size_t width>
std::vector<std::uint64_t> entry_starts(const BccooGpu<Viewed>& f) {
  std::vector<std::uint64_t> first(f.row.size() + 1, 0);
  for (std::uint64_t h = 0; h < f.row.size(); ++h) first[h + 1] = first[h] + entries_of<width>(f, h);
  return first;
}

/// Chunk h in the format that the plan chose for it.
template <class Bits, class Position>
void write_any_chunk(const Csr<Viewed>& a, const Position* row_ptr, std::uint64_t h, const ValueLut<Bits>& lut,
                     const WarpTuplePlan& plan, std::uint8_t* to) {
  with_tuple<width_of_bits<Bits>>(plan.format[h],
                                  [&]<class Tuple>(Tuple) { write_chunk<Tuple>(a, row_ptr, h, lut, plan, to); });
}

}  // namespace

template <>
Result<BccooGpu<Owned>> encode<BccooGpu>(const Csr<Viewed>& a, const ChunkParams& params) {
  SPRESS_CHECK(check_input(a, params));
  return with_bits_of(a.values.type, [&]<class Bits>(Bits) -> Result<BccooGpu<Owned>> {
    const ValueLut<Bits> lut(a.values);
    WarpTuplePlan plan = plan_for(a, params.b, lut);
    BccooGpu<Owned> out;
    copy_shape(out, a);
    out.chunk = params.b;
    out.value_type = a.values.type;
    out.data_value_bytes = plan.data_value_bytes;
    out.lut = lut.array(a.values.type, plan.codes);
    out.offset = make_positions(plan.offset);
    out.data = HostArray<std::uint8_t>(plan.offset.back());
    with_positions(a.row_ptr, [&](const auto* row_ptr) {
#pragma omp parallel for schedule(dynamic, 16)
      for (std::uint64_t h = 0; h < plan.row.size(); ++h)
        write_any_chunk(a, row_ptr, h, lut, plan, out.data.data() + plan.offset[h]);
    });
    out.row = std::move(plan.row);
    out.column = std::move(plan.column);
    out.format = std::move(plan.format);
    return out;
  });
}

template <>
Csr<Owned> decode<BccooGpu>(const BccooGpu<Viewed>& f) {
  Csr<Owned> out;
  copy_shape(out, f);
  const std::uint64_t chunks = f.row.size();
  out.row_ptr = make_positions(f.rows + 1, f.nnz);
  out.col_idx = HostArray<std::uint32_t>(f.nnz);
  out.values = uninitialised_raw_store(f.value_type, f.nnz);
  with_bits_of(f.value_type, [&]<class Bits>(Bits) {
    constexpr std::size_t width = width_of_bits<Bits>;
    const auto first = entry_starts<width>(f);
    fill_positions(out.row_ptr, [&](auto* row_ptr) {
      std::fill_n(row_ptr, chunks == 0 ? f.rows + 1 : f.row[0] + std::uint64_t{1}, 0);
#pragma omp parallel for schedule(static) if (chunks > few_chunks)
      for (std::uint64_t h = 0; h < chunks; ++h)
        read_any_chunk(f, h, first[h], row_ptr, out.col_idx.data(), static_cast<Bits*>(out.values.codes.raw()));
    });
  });
  return out;
}

template <>
Result<SizeEstimate> estimate<BccooGpu>(const Csr<Viewed>& a, const ChunkParams& params) {
  SPRESS_CHECK(check_input(a, params));
  return with_bits_of(a.values.type, [&]<class Bits>(Bits) -> Result<SizeEstimate> {
    const WarpTuplePlan plan = plan_for(a, params.b, ValueLut<Bits>(a.values));
    const std::uint64_t bytes = 9 * plan.row.size() + position_bytes(plan.offset.size(), plan.offset.back()) +
                                plan.offset.back() - plan.data_value_bytes;
    return SizeEstimate{bytes, bytes, a.nnz, plan.data_value_bytes + plan.codes * width_of_bits<Bits>};
  });
}

}  // namespace spress
