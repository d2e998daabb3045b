#include "formats/coo/bccoo.hpp"

#include "encode/coo/value_lut.hpp"
#include "encode/shared/codec.hpp"
#include "encode/shared/common.hpp"
#include "encode/shared/rows.hpp"
#include "encode/shared/size_stream.hpp"

namespace spress {
namespace {

using namespace bccoo;

constexpr std::uint32_t largest_step = 0xFFFF;  // beyond it, and to the left, a column follows

/// Of a chunk or of all: bytes, and the parts that are longer than the shortest.
struct Measure {
  std::uint64_t bytes = 0, value_bytes = 0, columns = 0, steps = 0, full_values = 0;
  Measure& operator+=(const Measure& other) {
    bytes += other.bytes;
    value_bytes += other.value_bytes;
    columns += other.columns;
    steps += other.steps;
    full_values += other.full_values;
    return *this;
  }
};

/// The tuples of entries [first, last) without writing them; `ends`: the ends of rows among them.
template <class Bits>
Measure measure_chunk(const std::uint32_t* cols, std::uint64_t first, std::uint64_t last, std::uint64_t ends,
                      const ValueLut<Bits>& lut) {
  const std::uint64_t entries = last - first;
  std::uint32_t followed = 0, by_column = 0, absent = 0;
  const auto take = [&](std::uint32_t step) {  // a step to the left wraps to more than any that is written as one
    followed += step >= step_follows ? 1 : 0;
    by_column += step > largest_step ? 1 : 0;
  };
  take(cols[first]);
  for (std::uint64_t k = first + 1; k < last; ++k) take(cols[k] - cols[k - 1]);
  Measure measure;
  if constexpr (width_of_bits<Bits> != 0) {
    for (std::uint64_t k = first; k < last; ++k) absent += lut.code(k) == ValueLut<Bits>::absent ? 1 : 0;
    measure.value_bytes = entries + (width_of_bits<Bits> - 1) * absent;
    measure.full_values = absent;
  }
  measure.columns = by_column;
  measure.steps = followed - by_column;
  measure.bytes = entries + ends + 4 * measure.columns + 2 * measure.steps + measure.value_bytes;
  return measure;
}

/// Writes the parts of tuples.
struct Write {
  std::uint8_t* at;
  template <class T>
  void put(const T& part) {
    std::memcpy(at, &part, sizeof part);
    at += sizeof part;
  }
};

/// One entry, `col` behind `previous`, in the shortest tuple.
template <class Bits>
void put_entry(std::uint32_t previous, std::uint32_t col, std::uint64_t k, const ValueLut<Bits>& lut, Write& out) {
  const int code = lut.code(k);
  const unsigned high = code == ValueLut<Bits>::absent ? 0 : by_table;
  const auto put_key = [&](unsigned low) { out.put(static_cast<std::uint8_t>(high | low)); };
  const std::uint32_t step = col - previous;
  if (step > largest_step) {
    put_key(column_follows);
    out.put(col);
  } else if (step >= step_follows) {
    put_key(step_follows);
    out.put(static_cast<std::uint16_t>(step));
  } else {
    put_key(step);
  }
  if (code != ValueLut<Bits>::absent)
    out.put(static_cast<std::uint8_t>(code));
  else if constexpr (width_of_bits<Bits> != 0)
    out.put(lut.bits(k));
}

/// The tuples of entries [k, last): `row` is that of the first entry, `last_row` that of entry `last`, or `rows`.
template <class Position, class Bits>
void put_chunk(const Csr<Viewed>& a, const Position* row_ptr, std::uint64_t k, std::uint64_t last, std::uint64_t row,
               std::uint64_t last_row, const ValueLut<Bits>& lut, Write& out) {
  std::uint32_t col = 0;
  const auto put_until = [&](std::uint64_t end) {
    for (; k < end; ++k) {
      put_entry(col, a.col_idx[k], k, lut, out);
      col = a.col_idx[k];
    }
  };
  for (; row < last_row; ++row) {
    put_until(row_ptr[row + 1]);
    out.put(static_cast<std::uint8_t>(by_table | end_of_row));
  }
  put_until(last);
}

/// Where every chunk begins.
struct TuplePlan {
  HostArray<std::uint32_t> row;       // chunks
  std::vector<std::uint64_t> offset;  // chunks + 1
  Measure whole;                      // of all chunks
};

/// Calls use(h, first, last, last_row) for every chunk, in parallel: its entries, and the row in which the next begins.
template <class Use>
void for_each_chunk(const Csr<Viewed>& a, std::uint64_t b, const HostArray<std::uint32_t>& row, Use&& use) {
#pragma omp parallel for schedule(dynamic, 16)
  for (std::uint64_t h = 0; h < row.size(); ++h)
    use(h, h * b, std::min(a.nnz, (h + 1) * b), h + 1 < row.size() ? row[h + 1] : a.rows);
}

template <class Bits>
TuplePlan plan_for(const Csr<Viewed>& a, std::uint64_t b, const ValueLut<Bits>& lut) {
  const std::uint64_t chunks = chunk_count(a.nnz, b);
  TuplePlan plan;
  plan.row = HostArray<std::uint32_t>(chunks);
  plan.offset.resize(chunks + 1);
  std::vector<Measure> measures(chunks);
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t h = 0; h < chunks; ++h)
      plan.row[h] = static_cast<std::uint32_t>(row_of_entry(row_ptr, a.rows, h * b));
  });
  for_each_chunk(a, b, plan.row, [&](std::uint64_t h, std::uint64_t first, std::uint64_t last, std::uint64_t end) {
    measures[h] = measure_chunk(a.col_idx.data(), first, last, end - plan.row[h], lut);
  });
  for (std::uint64_t h = 0; h < chunks; ++h) {
    plan.whole += measures[h];
    plan.offset[h + 1] = plan.whole.bytes;
  }
  return plan;
}

Status check_input(const Csr<Viewed>& a, const ChunkParams& params) {
  SPRESS_CHECK(check(Bccoo<Owned>::name, params));
  return require_raw(a.values, Bccoo<Owned>::name);
}

/// Puts the entries of chunk h into place: the ends of its rows, columns, values.
template <class Bits, class Position>
void decode_chunk(const Bccoo<Viewed>& f, std::uint64_t h, Position* row_ptr, std::uint32_t* col_idx, Bits* values) {
  std::uint64_t k = h * f.chunk, row = f.row[h];
  const auto* lut = static_cast<const Bits*>(f.lut.raw());
  for_each_tuple<width_of_bits<Bits>>(
      f.data.data() + f.offset.position(h), f.data.data() + f.offset.position(h + 1),
      [&](std::uint32_t col, bool in_table, const std::uint8_t* at) {
        col_idx[k] = col;
        if constexpr (width_of_bits<Bits> != 0) values[k] = in_table ? lut[*at] : load_unaligned<Bits>(at);
        ++k;
      },
      [&] { row_ptr[++row] = static_cast<Position>(k); });
}

/// chunks: of a matrix whose tuples are measured by `whole`; lut: values of the table.
SizeEstimate size_of(std::uint64_t nnz, std::uint64_t chunks, const Measure& whole, std::uint64_t lut_bytes) {
  const std::uint64_t bytes = 4 * chunks + position_bytes(chunks + 1, whole.bytes) + whole.bytes - whole.value_bytes;
  return {bytes,
          bytes,
          nnz,
          whole.value_bytes + lut_bytes,
          {{"columns_of_4_bytes", whole.columns},
           {"columns_of_2_bytes", whole.steps},
           {"values_in_full", whole.full_values}}};
}

/// The tuples of a matrix that comes in panels. Which values are in the table does not matter, only how many.
class TupleCounter {
 public:
  explicit TupleCounter(const ChunkParams& params) : b_(std::max<std::uint64_t>(params.b, 1)) {}

  void add(const RowPanel& panel) {
    constexpr std::uint64_t piece = 1 << 16;
    const Csr<Viewed>& a = panel.csr;
    if (a.nnz == 0) return;
    if (entries_ == 0)
      first_row_ = panel.first_row +
                   with_positions(a.row_ptr, [&](const auto* row_ptr) { return row_of_entry(row_ptr, a.rows, 0); });
    std::uint64_t followed = 0, by_column = 0;
    const auto pieces = static_cast<std::int64_t>((a.nnz + piece - 1) / piece);
#pragma omp parallel for schedule(static) reduction(+ : followed, by_column) if (walk_is_worth_threads(a.nnz))
    for (std::int64_t p = 0; p < pieces; ++p) {
      const std::uint64_t first = static_cast<std::uint64_t>(p) * piece, last = std::min(a.nnz, first + piece);
      std::uint32_t before = first == 0 ? last_column_ : a.col_idx[first - 1];
      for (std::uint64_t k = first, in_chunk = (entries_ + first) % b_; k < last; ++k) {
        const std::uint32_t step = a.col_idx[k] - (in_chunk == 0 ? 0 : before);
        before = a.col_idx[k];
        in_chunk = in_chunk + 1 == b_ ? 0 : in_chunk + 1;
        followed += step >= step_follows ? 1 : 0;
        by_column += step > largest_step ? 1 : 0;
      }
    }
    followed_ += followed;
    by_column_ += by_column;
    entries_ += a.nnz;
    last_column_ = a.col_idx[a.nnz - 1];
  }

  [[nodiscard]] SizeEstimate size(const WholeMatrix& whole, const analyze::ValueStatistics& values) const {
    const std::uint64_t width = spress::size_of(whole.type);
    Measure all;
    if (width != 0) {
      all.full_values = values.count - values.in_256;
      all.value_bytes = entries_ + (width - 1) * all.full_values;
    }
    all.columns = by_column_;
    all.steps = followed_ - by_column_;
    const std::uint64_t ends = entries_ == 0 ? 0 : whole.rows - first_row_;  // of rows
    all.bytes = entries_ + ends + 4 * all.columns + 2 * all.steps + all.value_bytes;
    return size_of(whole.nnz, chunk_count(whole.nnz, b_), all, width * std::min<std::uint64_t>(values.distinct, 256));
  }

 private:
  std::uint64_t b_, entries_ = 0, first_row_ = 0;  // first_row_: of the first entry
  std::uint64_t followed_ = 0, by_column_ = 0;
  std::uint32_t last_column_ = 0;
};

}  // namespace

template <>
Result<Bccoo<Owned>> encode<Bccoo>(const Csr<Viewed>& a, const ChunkParams& params) {
  SPRESS_CHECK(check_input(a, params));
  return with_bits_of(a.values.type, [&]<class Bits>(Bits) -> Result<Bccoo<Owned>> {
    const ValueLut<Bits> lut(a.values);
    TuplePlan plan = plan_for(a, params.b, lut);
    Bccoo<Owned> out;
    copy_shape(out, a);
    out.chunk = params.b;
    out.value_type = a.values.type;
    out.data_value_bytes = plan.whole.value_bytes;
    out.lut = lut.array(a.values.type, lut.size());
    out.offset = make_positions(plan.offset);
    out.data = HostArray<std::uint8_t>(plan.offset.back());
    with_positions(a.row_ptr, [&](const auto* row_ptr) {
      for_each_chunk(a, params.b, plan.row,
                     [&](std::uint64_t h, std::uint64_t first, std::uint64_t last, std::uint64_t end) {
                       Write write{out.data.data() + plan.offset[h]};
                       put_chunk(a, row_ptr, first, last, plan.row[h], end, lut, write);
                     });
    });
    out.row = std::move(plan.row);
    return out;
  });
}

template <>
Csr<Owned> decode<Bccoo>(const Bccoo<Viewed>& f) {
  Csr<Owned> out;
  copy_shape(out, f);
  out.row_ptr = make_positions(f.rows + 1, f.nnz);
  out.col_idx = HostArray<std::uint32_t>(f.nnz);
  out.values = uninitialised_raw_store(f.value_type, f.nnz);
  with_bits_of(f.value_type, [&]<class Bits>(Bits) {
    fill_positions(out.row_ptr, [&](auto* row_ptr) {
      // Rows in front of the first entry have no end in any chunk.
      std::fill_n(row_ptr, f.row.empty() ? f.rows + 1 : f.row[0] + std::uint64_t{1}, 0);
#pragma omp parallel for schedule(static) if (f.row.size() > few_chunks)
      for (std::uint64_t h = 0; h < f.row.size(); ++h)
        decode_chunk(f, h, row_ptr, out.col_idx.data(), static_cast<Bits*>(out.values.codes.raw()));
    });
  });
  return out;
}

template <>
Result<SizeEstimate> estimate<Bccoo>(const Csr<Viewed>& a, const ChunkParams& params) {
  SPRESS_CHECK(check_input(a, params));
  return with_bits_of(a.values.type, [&]<class Bits>(Bits) -> Result<SizeEstimate> {
    const ValueLut<Bits> lut(a.values);
    const TuplePlan plan = plan_for(a, params.b, lut);
    return size_of(a.nnz, plan.row.size(), plan.whole, lut.size() * width_of_bits<Bits>);
  });
}

template <>
std::unique_ptr<SizeStream> size_stream<Bccoo>(const ChunkParams& params) {
  return make_size_stream(
      TupleCounter(params), [](TupleCounter& counter, const RowPanel& panel) { counter.add(panel); },
      [params](const TupleCounter& counter, const WholeMatrix& whole,
               const analyze::ValueStatistics& values) -> Result<SizeEstimate> {
        SPRESS_CHECK(check(Bccoo<Owned>::name, params));
        return counter.size(whole, values);
      });
}

}  // namespace spress
