// Rows of entries times a block of vectors: the kernel of all products with blocks.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/isa.hpp"

namespace spress::cpu {

/// A dense block, row by row: element (i, j) is data[i * stride + j].
template <class T>
struct RowMajor {
  T* data;
  std::int64_t stride;

  [[nodiscard]] T* row(std::uint64_t i) const { return data + static_cast<std::int64_t>(i) * stride; }
};

/// A row of the matrix with entries [begin, end).
struct EntryRow {
  std::uint64_t row, begin, end;
};

template <class T>
struct EntryRows {
  std::span<const EntryRow> rows;
  const std::uint32_t* columns;
  const T* values;
};

/// Rows `a.rows` of Y = A X, all `count` columns. Each element is a sum in the order of the entries. Compiled for one
/// instruction set. Requires: the processor has it.
template <Isa isa, class T>
void multiply_entry_rows(const EntryRows<T>& a, std::uint64_t count, RowMajor<const T> x, RowMajor<T> y);

#define SPRESS_ENTRY_ROWS(ISA, T) \
  template <>                     \
  void multiply_entry_rows<Isa::ISA, T>(const EntryRows<T>&, std::uint64_t, RowMajor<const T>, RowMajor<T>);
SPRESS_ENTRY_ROWS(portable, float)
SPRESS_ENTRY_ROWS(portable, double)
SPRESS_ENTRY_ROWS(avx2, float)
SPRESS_ENTRY_ROWS(avx2, double)
SPRESS_ENTRY_ROWS(avx512, float)
SPRESS_ENTRY_ROWS(avx512, double)
#undef SPRESS_ENTRY_ROWS

}  // namespace spress::cpu
