#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "kernels/cpu/coo/chunks.hpp"
#include "kernels/cpu/simd/simd.hpp"
#include "kernels/cpu/simd/simd_tuples.hpp"
#include "kernels/cpu/simd/target.hpp"
#include "kernels/cpu/spmv.hpp"

namespace spress::cpu::portable {
/// Takes all tuples one by one: compiled for this instruction set alone, since the others make it no faster and, on
/// regular matrices, up to a quarter slower.
template <class T>
void multiply_one_by_one(const Bccoo<Viewed>& a, const T* x, T* y, int threads);
}  // namespace spress::cpu::portable

SPRESS_KERNELS_BEGIN

using namespace bccoo;

/// Chunks decoded side by side: where a tuple begins is known some ten cycles after the one before it, time enough for
/// a tuple of each other chunk.
inline constexpr int streams = 4;

/// What a key says. Tuples follow one another without a pattern that a processor could foresee, so that a branch on
/// the key would cost more than all that is looked up here.
template <std::size_t width>
struct KeyTable {
  std::array<std::uint64_t, 256> bytes = {};     // of the tuple
  std::array<std::uint64_t, 256> step = {};      // to the column, as far as the key itself says
  std::array<std::uint64_t, 256> column = {};    // bits of the column part
  std::array<std::uint64_t, 256> previous = {};  // bits to keep of the previous column
  std::array<std::uint64_t, 256> in_table = {};  // all bits where the value is in the table, and where the row ends
  constexpr KeyTable() {
    for (unsigned key = 0; key < 256; ++key) {
      const unsigned kind = key & step_mask;
      const std::size_t part = kind == column_follows ? 4 : kind == step_follows ? 2 : 0;
      in_table[key] = key >= end_of_row ? ~std::uint64_t{0} : 0;
      bytes[key] = kind == end_of_row ? 1 : 1 + part + ((key & by_table) != 0 ? 1 : width);
      step[key] = kind < step_follows ? kind : 0;
      column[key] = part == 4 ? 0xFFFFFFFF : part == 2 ? 0xFFFF : 0;
      previous[key] = kind == column_follows ? 0 : 0xFFFFFFFF;
    }
  }
};
template <std::size_t width>
inline constexpr KeyTable<width> key_table;

/// The places of value parts: all in the stream, all in the table, both, or few of them in the table. There is always
/// some room in a table of the most frequent values, so that this is what all matrices of scattered values come to.
enum class Values : std::uint8_t { full, table, mixed, mostly_full };

/// The value of a tuple from the byte behind it. For the end of a row, which has none, some number: reads what stands
/// before, or an element of the table, which is filled up to 256.
template <class T, std::size_t width, Values where>
T value_before(const std::uint8_t* behind, [[maybe_unused]] unsigned key, [[maybe_unused]] const T* lut) {
  if constexpr (width == 0) {
    return T(1);
  } else if constexpr (where == Values::full) {
    return load_unaligned<T>(behind - width);
  } else if constexpr (where == Values::table) {
    return lut[behind[-1]];
  } else if constexpr (where == Values::mostly_full) {
    if (key - by_table < end_of_row) [[unlikely]]  // one comparison: a branch on ends of rows would not be foreseen
      return lut[behind[-1]];
    return load_unaligned<T>(behind - width);
  } else {
    const auto of_table = reinterpret_cast<std::uintptr_t>(lut + behind[-1]);
    const auto of_data = reinterpret_cast<std::uintptr_t>(behind - width);
    const std::uintptr_t at = of_data ^ ((of_data ^ of_table) & key_table<width>.in_table[key]);
    return load_unaligned<T>(reinterpret_cast<const std::uint8_t*>(at));
  }
}

/// A chunk in work: its next tuple and the column before it, the sum of the row so far, where that sum goes, and the
/// row behind.
template <class T>
struct Stream {
  const std::uint8_t* at;
  std::uint64_t col;
  T sum;
  T* target;
  T* next;

  void end_row(T whole) {
    *target = whole;
    sum = 0;
    target = ++next;
  }
};

/// Tuples decoded of each stream. What stands for the end of a row is a column that was before, and any value.
template <class T, std::size_t width>
struct Decoded {
  static constexpr std::uint64_t room = 512;  // a multiple of 8
  KeyTable<width> table = key_table<width>;   // here, so that one register finds it all
  std::uint8_t keys[streams][room];
  std::uint32_t columns[streams][room];
  alignas(64) T values[streams][room];
};

/// Decodes tuples of N chunks, of streams first, first + 1, ..., into places [from, to). Requires: eight bytes may be
/// read from each tuple on, and `width` before the end of each; to <= room.
template <int N, class T, std::size_t width, Values where>
void decode(Stream<T>* chunks, int first, std::uint64_t from, std::uint64_t to, const T* lut,
            Decoded<T, width>& decoded) {
  const std::uint8_t* at[N];
  std::uint64_t col[N];
  for (int i = 0; i < N; ++i) {
    at[i] = chunks[first + i].at;
    col[i] = chunks[first + i].col;
  }
  for (std::uint64_t step = from; step < to; ++step) {
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) {
      const KeyTable<width>& table = decoded.table;
      const auto word = load_unaligned<std::uint64_t>(at[i]);
      const auto key = static_cast<std::uint8_t>(word);
      at[i] += table.bytes[key];
      col[i] = (col[i] & table.previous[key]) + ((word >> 8 & table.column[key]) + table.step[key]);
      decoded.keys[first + i][step] = key;
      decoded.columns[first + i][step] = static_cast<std::uint32_t>(col[i]);
      if constexpr (width != 0) decoded.values[first + i][step] = value_before<T, width, where>(at[i], key, lut);
    }
  }
  for (int i = 0; i < N; ++i) {
    chunks[first + i].at = at[i];
    chunks[first + i].col = col[i];
  }
}

/// The highest bits of those of eight keys that end a row.
inline std::uint64_t row_ends(std::uint64_t keys) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  return ((keys & ones * step_mask) + ones) & ones * by_table;
}

/// Multiplies decoded tuples of one chunk, row by row.
template <class T, class Values>
void multiply_decoded(Stream<T>& s, const std::uint8_t* keys, const std::uint32_t* columns, Values values,
                      std::uint64_t tuples, const T* x) {
  std::uint64_t begin = 0;
  for (std::uint64_t k = 0; k < tuples; k += 8) {
    std::uint64_t ends = row_ends(load_unaligned<std::uint64_t>(keys + k));
    if (tuples - k < 8) ends &= (std::uint64_t{1} << 8 * (tuples - k)) - 1;
    for (; ends != 0; ends &= ends - 1) {
      const std::uint64_t end = k + static_cast<unsigned>(std::countr_zero(ends)) / 8;
      s.end_row(s.sum + dot(values, begin, columns + begin, end - begin, x));
      begin = end + 1;
    }
  }
  s.sum += dot(values, begin, columns + begin, tuples - begin, x);
}

/// Bytes ahead that are fetched: processors do not foresee the next page of an array, and one chunk has nothing else to
/// do while it waits. Without it 2D Poisson of 360 000 rows takes four times as long.
inline constexpr std::uint64_t bytes_ahead = 2048;

/// Takes the tuples [s.at, end) one by one, reading no byte behind them.
template <class T, std::size_t width, Values where>
void walk(Stream<T>& s, const std::uint8_t* end, const T* x, const T* lut) {
  const std::uint8_t* at = s.at;
  std::uint64_t col = s.col;
  T sum = s.sum, other = 0;  // entries take turns, so that none waits for the sum before it
  while (at < end) {
    __builtin_prefetch(at + bytes_ahead);
    const unsigned key = *at, kind = key & step_mask;
    const std::uint8_t* part = at + 1;
    if (kind < step_follows) [[likely]] {
      col += kind;
    } else if (kind == end_of_row) {
      s.end_row(sum + other);
      sum = other = 0;
      at = part;
      continue;
    } else if (kind == step_follows) {
      col += load_unaligned<std::uint16_t>(part);
      part += 2;
    } else {
      col = load_unaligned<std::uint32_t>(part);
      part += 4;
    }
    const bool in_table = where == Values::table || (where != Values::full && (key & by_table) != 0);
    at = part + (in_table ? 1 : width);
    const T next = other + value_before<T, width, where>(at, key, lut) * x[col];
    other = sum;
    sum = next;
  }
  s.at = at;
  s.col = col;
  s.sum = sum + other;
}

/// Sums chunks of a matrix; see multiply_chunk_pieces for what becomes of the sums.
template <class T, std::size_t width, Values where>
class Decoder {
 public:
  Decoder(const Bccoo<Viewed>& a, const T* x, const T* lut, T* y, T* first_sums)
      : a_(a), x_(x), lut_(lut), y_(y), first_sums_(first_sums) {}

  /// Chunks [first, last), tuple by tuple.
  void one_by_one(std::uint64_t h, std::uint64_t last) {
    for (; h < last; ++h) {
      chunks_[0] = begin(h);
      finish(chunks_[0], h);
    }
  }

  /// The same, so many chunks at a time as there are streams.
  void side_by_side(std::uint64_t h, std::uint64_t last) {
    for (; last - h >= streams; h += streams) together<streams>(h);
    for (; h < last; ++h) together<1>(h);
  }

  /// The same, a chunk to a lane of a vector: two vectors in turn, so that neither waits long for its loads.
  void by_lanes(std::uint64_t h, std::uint64_t last) {
    constexpr bool by_lut = where != Values::full;
    for (; h < last; h += 16) {
      Stream<T> chunks[16] = {};
      std::uint64_t tuples[16] = {};
      const std::uint64_t count = std::min<std::uint64_t>(16, last - h);
      for (std::uint64_t i = 0; i < count; ++i) {
        chunks[i] = begin(h + i);
        tuples[i] = tuples_in(h + i) - std::min(tuples_in(h + i), tail);
      }
      EightChunks<T> low(chunks, tuples), high(chunks + 8, tuples + 8);
      bool some = true;
      while (some) {
        some = low.template step<width, by_lut>(x_, lut_);
        some |= high.template step<width, by_lut>(x_, lut_);
      }
      low.leave(chunks);
      high.leave(chunks + 8);
      for (std::uint64_t i = 0; i < count; ++i) finish(chunks[i], h + i);
    }
  }

 private:
  static constexpr std::uint64_t tail = 8;  // tuples: at least so many bytes stand behind those before them

  [[nodiscard]] const std::uint8_t* start_of(std::uint64_t h) const { return a_.data.data() + a_.offset.position(h); }
  [[nodiscard]] Stream<T> begin(std::uint64_t h) const {
    return {start_of(h), 0, T(0), first_sums_ + h, y_ + a_.row[h]};
  }
  /// What is left of a chunk's tuples.
  void finish(Stream<T>& s, std::uint64_t h) {
    walk<T, width, where>(s, start_of(h + 1), x_, lut_);
    if (s.next < y_ + a_.rows) *s.target = s.sum;
  }

  [[nodiscard]] std::uint64_t tuples_in(std::uint64_t h) const {
    const bool last = h + 1 == a_.row.size();
    return (last ? a_.nnz - h * a_.chunk : a_.chunk) + ((last ? a_.rows : a_.row[h + 1]) - a_.row[h]);
  }
  /// Takes the first tuples of all, before whose end there are fewer than `width` bytes. Returns how many.
  std::uint64_t take_first(Stream<T>& s) const {
    const std::uint8_t* end = s.at;
    std::uint64_t tuples = 0;
    for (; end < start_of(1) && end < a_.data.data() + width; ++tuples) end += key_table<width>.bytes[*end];
    walk<T, width, where>(s, end, x_, lut_);
    return tuples;
  }

  /// Chunks h to h + N - 1. What is decoded is multiplied in pieces that depend on the chunk alone, as must the sums.
  template <int N>
  void together(std::uint64_t h) {
    std::uint64_t left[N], taken[N];
    for (int i = 0; i < N; ++i) {
      chunks_[i] = begin(h + i);
      const std::uint64_t tuples = tuples_in(h + i), others = tail + (h + i == 0 ? take_first(chunks_[i]) : 0);
      left[i] = tuples - std::min(tuples, others);
    }
    while (*std::max_element(left, left + N) != 0) {
      for (int i = 0; i < N; ++i) taken[i] = std::min(left[i], Decoded<T, width>::room);
      const std::uint64_t common = *std::min_element(taken, taken + N);
      decode<N, T, width, where>(chunks_, 0, 0, common, lut_, decoded_);
      for (int i = 0; i < N; ++i) {
        decode<1, T, width, where>(chunks_, i, common, taken[i], lut_, decoded_);
        multiply_stream(i, taken[i]);
        left[i] -= taken[i];
      }
    }
    for (int i = 0; i < N; ++i) finish(chunks_[i], h + i);
  }
  void multiply_stream(int i, std::uint64_t tuples) {
    if constexpr (width == 0)
      multiply_decoded(chunks_[i], decoded_.keys[i], decoded_.columns[i], IsoAccessor<T>{}, tuples, x_);
    else
      multiply_decoded(chunks_[i], decoded_.keys[i], decoded_.columns[i], CastAccessor<T, T>{decoded_.values[i]},
                       tuples, x_);
  }

  const Bccoo<Viewed>& a_;
  const T* x_;
  const T* lut_;
  T* y_;
  T* first_sums_;
  Stream<T> chunks_[streams];
  Decoded<T, width> decoded_;
};

/// Whether a processor will foresee most keys: whether the kind of tuple (short, 2 or 4 bytes of column, end of a row)
/// that last followed on the same sixteen kinds mostly follows again, in a few chunks of the matrix. Does not depend on
/// the number of threads, so that sums do not either.
inline bool foreseeable(const Bccoo<Viewed>& a) {
  constexpr std::uint64_t samples = 4, tuples = 1024;
  const std::uint64_t value_bytes = size_of(a.value_type), chunks = a.row.size();
  std::array<std::uint8_t, 1 << 12> last = {};
  std::uint64_t seen = 0, surprises = 0;
  for (std::uint64_t sample = 0; sample < std::min(samples, chunks); ++sample) {
    const std::uint64_t h = chunks / std::min(samples, chunks) * sample;
    const std::uint8_t* at = a.data.data() + a.offset.position(h);
    const std::uint8_t* end = a.data.data() + a.offset.position(h + 1);
    std::uint32_t history = 0;
    for (std::uint64_t k = 0; k < tuples && at < end; ++k, ++seen) {
      const unsigned step = *at & step_mask, kind = step < step_follows ? 0 : step - step_follows + 1;
      std::uint8_t& before = last[history * 0x9E3779B1u >> 20];
      surprises += before != kind;
      before = static_cast<std::uint8_t>(kind);
      history = history << 2 | kind;
      const std::uint64_t value = (*at & by_table) != 0 && value_bytes != 0 ? 1 : value_bytes;
      at += step == end_of_row ? 1 : 1 + (step == column_follows ? 4 : step == step_follows ? 2 : 0) + value;
    }
  }
  return surprises * 7 <= seen;
}

/// Calls use.operator()<width, where>(), as the matrix has its values.
template <class T, class Use>
void with_value_parts(const Bccoo<Viewed>& a, Use use) {
  if (a.value_type == ValueType::none) return use.template operator()<0, Values::full>();
  const std::uint64_t in_table = (a.nnz * sizeof(T) - a.data_value_bytes) / (sizeof(T) - 1);
  if (in_table == 0) return use.template operator()<sizeof(T), Values::full>();
  if (in_table == a.nnz) return use.template operator()<sizeof(T), Values::table>();
  if (in_table < a.nnz / 32) return use.template operator()<sizeof(T), Values::mostly_full>();
  return use.template operator()<sizeof(T), Values::mixed>();
}

/// way(decoder, first, last) takes the chunks [first, last).
template <class T, class Way>
void multiply_by(const Bccoo<Viewed>& a, const T* x, T* y, int threads, Way way) {
  std::array<T, lut_size> lut = {};
  std::copy_n(static_cast<const T*>(a.lut.raw()), a.lut.size(), lut.data());
  with_value_parts<T>(a, [&]<std::size_t width, Values where>() {
    multiply_chunk_pieces(
        a.row.size(), a.rows, threads, y, [&](std::uint64_t h) { return a.row[h]; },
        [&](std::uint64_t first, std::uint64_t last, T* first_sums) {
          Decoder<T, width, where> decoder(a, x, lut.data(), y, first_sums);
          way(decoder, first, last);
        });
  });
}

#if SPRESS_ISA_LEVEL == 0
template <class T>
void multiply_one_by_one(const Bccoo<Viewed>& a, const T* x, T* y, int threads) {
  multiply_by(a, x, y, threads,
              [](auto& decoder, std::uint64_t first, std::uint64_t last) { decoder.one_by_one(first, last); });
}
template void multiply_one_by_one(const Bccoo<Viewed>&, const float*, float*, int);
template void multiply_one_by_one(const Bccoo<Viewed>&, const double*, double*, int);
#endif

template <class T>
void multiply(const Bccoo<Viewed>& a, const T* x, T* y, int threads) {
  if (foreseeable(a)) return portable::multiply_one_by_one(a, x, y, threads);
  multiply_by(a, x, y, threads, [](auto& decoder, std::uint64_t first, std::uint64_t last) {
    if constexpr (has_eight_chunks)
      decoder.by_lanes(first, last);
    else
      decoder.side_by_side(first, last);
  });
}

SPRESS_KERNELS_END
SPRESS_SPMV(Bccoo)
