#include "formats/coo/bccoo_gpu.hpp"

#include <algorithm>
#include <vector>

namespace spress {
namespace {

using namespace bccoo_gpu;

/// What one chunk holds.
struct ChunkFacts {
  std::uint64_t entries = 0, value_bytes = 0;
  unsigned codes = 0;  // one more than the largest index into the table
  std::uint64_t last_row = 0, first_col = 0, last_col = 0;
};

bool known_format(std::uint8_t format, ValueType type) {
  return (format & column_bits) != column_bits && format < 2 * by_table &&
         (type != ValueType::none || (format & by_table) == 0);
}

/// Walks the tuples of chunk h with every part checked; false where one is wrong. Requires: offsets within data.
template <class Tuple>
bool check_chunk(const BccooGpu<Viewed>& a, std::uint64_t h, ChunkFacts& facts) {
  const std::uint64_t begin = a.offset.position(h), end = a.offset.position(h + 1);
  facts.entries = (end - begin) / Tuple::bytes;
  facts.value_bytes = facts.entries * Tuple::value_bytes;
  if ((end - begin) % Tuple::bytes != 0 || facts.entries == 0 || facts.entries > a.chunk || a.data[begin] != 0)
    return false;
  for (std::uint64_t i = begin; i < end; i += Tuple::bytes) {
    const std::uint8_t* at = a.data.data() + i;
    const std::uint64_t row = a.row[h] + std::uint64_t{at[0]};
    const std::uint64_t col =
        a.column[h] + std::uint64_t{load_unaligned<typename Tuple::ColumnPart>(at + Tuple::column_at)};
    const bool ascends = i == begin || row > facts.last_row || (row == facts.last_row && col > facts.last_col);
    if (row >= a.rows || col >= a.cols || !ascends) return false;
    if constexpr (Tuple::in_table) {
      if (at[Tuple::value_at] >= a.lut.size()) return false;
      facts.codes = std::max(facts.codes, at[Tuple::value_at] + 1u);
    }
    if (i == begin) facts.first_col = col;
    facts.last_row = row;
    facts.last_col = col;
  }
  return true;
}

/// True if chunk h holds what it should; then `facts` tells of it.
template <class Bits>
bool check_any_chunk(const BccooGpu<Viewed>& a, std::uint64_t h, ChunkFacts& facts) {
  if (!known_format(a.format[h], a.value_type)) return false;
  return with_tuple<width_of_bits<Bits>>(a.format[h],
                                         [&]<class Tuple>(Tuple) { return check_chunk<Tuple>(a, h, facts); });
}

/// The facts of all chunks. Errors: damaged, naming the first chunk that does not hold what it should.
Result<std::vector<ChunkFacts>> check_chunks(const BccooGpu<Viewed>& a) {
  const std::uint64_t chunks = a.row.size();
  std::vector<ChunkFacts> facts(chunks);
  std::uint64_t bad = chunks;
  with_bits_of(a.value_type, [&]<class Bits>(Bits) {
#pragma omp parallel for schedule(static) reduction(min : bad) if (chunks > few_chunks)
    for (std::uint64_t h = 0; h < chunks; ++h)
      if (!check_any_chunk<Bits>(a, h, facts[h])) bad = std::min(bad, h);
  });
  if (bad == chunks) return facts;
  return checks::damaged("data: the tuples of chunk " + std::to_string(bad) +
                         " leave the matrix, the table or the chunk, or do not ascend, or its format is unknown");
}

}  // namespace

Status validate(const BccooGpu<Viewed>& a) {
  const std::uint64_t chunks = a.row.size();
  SPRESS_CHECK(checks::sides(a.rows, a.cols));
  SPRESS_CHECK(checks::chunk_length(a.chunk));
  SPRESS_CHECK(checks::length("column", a.column.size(), chunks));
  SPRESS_CHECK(checks::length("format", a.format.size(), chunks));
  SPRESS_CHECK(checks::monotone("offset", a.offset, chunks + 1, a.data.size()));
  SPRESS_CHECK(checks::value_lut(a.lut, a.value_type));
  SPRESS_TRY(const auto facts, check_chunks(a));
  ChunkFacts sum;
  for (std::uint64_t h = 0; h < chunks; ++h) {
    sum.entries += facts[h].entries;
    sum.value_bytes += facts[h].value_bytes;
    sum.codes = std::max(sum.codes, facts[h].codes);
    if (h + 1 < chunks && (a.row[h + 1] < facts[h].last_row ||
                           (a.row[h + 1] == facts[h].last_row && facts[h + 1].first_col <= facts[h].last_col)))
      return checks::damaged("data: the entries do not ascend from chunk " + std::to_string(h) + " to the next");
  }
  SPRESS_CHECK(checks::length("lut", a.lut.size(), sum.codes));
  if (sum.entries == a.nnz && sum.value_bytes == a.data_value_bytes) return Ok{};
  return checks::damaged("data holds " + std::to_string(sum.entries) + " entries with " +
                         std::to_string(sum.value_bytes) + " bytes of values, not " + std::to_string(a.nnz) + " with " +
                         std::to_string(a.data_value_bytes));
}

}  // namespace spress
