#include "formats/padded/hyb.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "encode/shared/codec.hpp"
#include "encode/shared/size_stream.hpp"
#include "encode/shared/stretches.hpp"
#include "formats/core/threads.hpp"

namespace spress {
namespace {

/// The largest k for which at least a third of the rows have k entries: the length of the row that stands at a third
/// of all rows sorted by length, longest first. Cost: linear in rows.
std::uint64_t ell_width(const Csr<Viewed>& a) {
  if (a.rows == 0) return 0;
  std::vector<std::uint32_t> lengths(a.rows);
  with_positions(a.row_ptr, [&](const auto* row_ptr) {
    parallel_for(a.rows, thread_count(0),
                 [&](std::uint64_t r) { lengths[r] = static_cast<std::uint32_t>(row_ptr[r + 1] - row_ptr[r]); });
  });
  const auto third = lengths.begin() + static_cast<std::ptrdiff_t>((a.rows + 2) / 3 - 1);
  std::nth_element(lengths.begin(), third, lengths.end(), std::greater<>());
  return *third;
}

/// Entries of a row of `length` that are left for the rest.
constexpr std::uint64_t rest_of(std::uint64_t length, std::uint64_t width) {
  return length > width ? length - width : 0;
}

std::uint64_t rest_of_all(const Csr<Viewed>& a, std::uint64_t width) {
  return with_positions(a.row_ptr, [&](const auto* row_ptr) {
    return parallel_sum<std::uint64_t>(a.rows, thread_count(0),
                                       [&](std::uint64_t r) { return rest_of(row_ptr[r + 1] - row_ptr[r], width); });
  });
}

/// Where both stretches of every row stand, that of the ELL part and that of the rest by turns: threads take
/// consecutive ones, and each gets its share of both parts.
/// rest_start: rows + 1, where the rest of each row begins.
template <class Storage>
auto both_parts(const Hyb<Storage>& f, const HostArray<std::uint64_t>& rest_start) {
  return [&f, &rest_start](std::uint64_t i) {
    const std::uint64_t r = i / 2;
    if (i % 2 == 0) return stretch(f, r);
    return Stretch{.row = r,
                   .skip = f.width,
                   .first = f.rows * f.width + rest_start[r],
                   .width = rest_start[r + 1] - rest_start[r]};
  };
}

SizeEstimate size_of(std::uint64_t rows, std::uint64_t width, std::uint64_t rest) {
  const std::uint64_t slots = rows * width + rest, bytes = 4 * slots + 4 * rest;
  return {bytes, bytes, slots, std::nullopt, {}, true};  // no paper has another formula for it
}

/// Rows by length: from their counts alone the width and the rest of a matrix that comes in panels.
class LengthCounts {
 public:
  void add(std::uint64_t length) {
    if (length < short_.size())
      ++short_[length];
    else
      ++long_[length];
  }
  [[nodiscard]] SizeEstimate size(std::uint64_t rows) const {
    std::uint64_t width = 0, longer = 0, rest = 0;
    bool found = rows == 0;
    for_each_falling([&](std::uint64_t length, std::uint64_t count) {  // as ell_width
      if (!found) {
        longer += count;
        width = length;
        found = longer >= (rows + 2) / 3;
      }
    });
    for_each_falling([&](std::uint64_t length, std::uint64_t count) { rest += count * rest_of(length, width); });
    return size_of(rows, width, rest);
  }

 private:
  template <class Use>
  void for_each_falling(const Use& use) const {
    for (auto of_length = long_.rbegin(); of_length != long_.rend(); ++of_length)
      use(of_length->first, of_length->second);
    for (std::uint64_t length = short_.size(); length-- > 0;)
      if (short_[length] != 0) use(length, short_[length]);
  }

  std::vector<std::uint64_t> short_ = std::vector<std::uint64_t>(4096);
  std::map<std::uint64_t, std::uint64_t> long_;  // few rows are as long
};

/// Running sums of length_of_rest(r).
template <class Length>
HostArray<std::uint64_t> rest_starts(std::uint64_t rows, Length length_of_rest) {
  HostArray<std::uint64_t> start(rows + 1);
  start[0] = 0;
  for (std::uint64_t r = 0; r < rows; ++r) start[r + 1] = start[r] + length_of_rest(r);
  return start;
}

}  // namespace

template <>
Result<Hyb<Owned>> encode<Hyb>(const Csr<Viewed>& a, const NoParams&) {
  Hyb<Owned> out;
  copy_shape(out, a);
  out.width = ell_width(a);
  const auto rest = rest_starts(a.rows, [&](std::uint64_t r) { return rest_of(row_length(a, r), out.width); });
  out.coo_nnz = rest[a.rows];
  const std::uint64_t slots = a.rows * out.width + out.coo_nnz;
  out.col_idx = HostArray<std::uint32_t>(slots);
  out.values = empty_like(a.values, slots);
  fill_stretches(out, a, 2 * a.rows, both_parts(out, rest));
  out.coo_row_idx = HostArray<std::uint32_t>(out.coo_nnz);
#pragma omp parallel for schedule(static)
  for (std::uint64_t r = 0; r < a.rows; ++r)
    std::fill(out.coo_row_idx.data() + rest[r], out.coo_row_idx.data() + rest[r + 1], static_cast<std::uint32_t>(r));
  return out;
}

template <>
Csr<Owned> decode<Hyb>(const Hyb<Viewed>& f) {
  HostArray<std::uint64_t> in_rest(f.rows, 0);
  for (std::uint64_t j = 0; j < f.coo_nnz; ++j) ++in_rest[f.coo_row_idx[j]];
  const auto rest = rest_starts(f.rows, [&](std::uint64_t r) { return in_rest[r]; });
  Csr<Owned> out;
  copy_shape(out, f);
  out.row_ptr = row_ptr_of(f, [&]<class Position>(Position* lengths) {
    count_filled(
        f, f.rows, [&](std::uint64_t i) { return stretch(f, i); }, lengths);
    for (std::uint64_t r = 0; r < f.rows; ++r) lengths[r] = static_cast<Position>(lengths[r] + in_rest[r]);
  });
  gather_stretches(out, f, 2 * f.rows, both_parts(f, rest));
  return out;
}

template <>
Result<SizeEstimate> estimate<Hyb>(const Csr<Viewed>& a, const NoParams&) {
  const std::uint64_t width = ell_width(a);
  return size_of(a.rows, width, rest_of_all(a, width));
}

template <>
std::unique_ptr<SizeStream> size_stream<Hyb>(const NoParams&) {
  return make_size_stream(
      LengthCounts(),
      [](LengthCounts& counts, const RowPanel& panel) {
        for_each_length(panel, [&](std::uint64_t length) { counts.add(length); });
      },
      [](const LengthCounts& counts, const WholeMatrix& whole) -> Result<SizeEstimate> {
        return counts.size(whole.rows);
      });
}

}  // namespace spress
