// Undoing the codes of an optimized CSR on the device: by a group of lanes for a row, or by a block for a long one.
#pragma once

#include <cstdint>
#include <type_traits>

#include "formats/csr/opt_csr.hpp"
#include "kernels/cuda/device/launch.cuh"

namespace spress::cuda {

/// What a kernel needs to find the columns of an optimized CSR. Passed by value; its arrays are on the device.
struct OptCsrIndices {
  DevicePositions row_ptr;
  const std::uint32_t* row_perm;   // null for the identity
  const std::uint32_t* first_col;  // null but in delta mode
  const std::uint8_t* col8;
  const std::uint16_t* col16;
  const std::uint32_t* col32;
  std::uint64_t section_row[4];    // first stored row of each section, and rows
  std::uint64_t section_entry[3];  // first entry of each section: entry k has code [k - section_entry[s]]
  bool distances;                  // every code is the signed distance of its entry to the diagonal; else gaps

  /// host, device: the same matrix. Only the ends of the sections are read on the host.
  OptCsrIndices(const OptCsr<Viewed>& host, const OptCsr<Viewed>& device)
      : row_ptr(device.row_ptr),
        row_perm(device.row_perm.data()),
        first_col(host.index == IndexMode::delta ? device.first_col.data() : nullptr),
        col8(device.col8.data()),
        col16(device.col16.data()),
        col32(device.col32.data()),
        distances(host.index == IndexMode::diagonal) {
    if (host.row_perm.empty()) row_perm = nullptr;
    for (std::size_t s = 0; s < 4; ++s) section_row[s] = host.section_start.position(s);
    for (std::size_t s = 0; s < 3; ++s) section_entry[s] = host.row_ptr.position(section_row[s]);
  }

  /// The row of the matrix that stored row i is.
  [[nodiscard]] __device__ __forceinline__ std::uint64_t row_of(std::uint64_t i) const {
    return row_perm == nullptr ? i : load_once(row_perm + i);
  }
};

/// Calls use(codes) with the codes of the section that stored row i is in: entry k has code codes[k].
template <class Use>
__device__ __forceinline__ void with_codes_of_row(const OptCsrIndices& a, std::uint64_t i, Use&& use) {
  if (i < a.section_row[1])
    use(a.col8 - a.section_entry[0]);
  else if (i < a.section_row[2])
    use(a.col16 - a.section_entry[1]);
  else
    use(a.col32 - a.section_entry[2]);
}

/// The column of a row's first entry, with code `code`, where codes are gaps. Columns are computed modulo 2^32: all of
/// a valid matrix are smaller, and what is added to reach them need not be.
template <class Code>
__device__ __forceinline__ std::uint32_t first_column(const OptCsrIndices& a, std::uint64_t i, Code code) {
  if (a.first_col != nullptr) return load_once(a.first_col + i);
  return static_cast<std::uint32_t>(a.row_of(i)) +
         static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::make_signed_t<Code>>(code)));
}

/// A team of `size` threads that go through a row together, each with the entry behind its neighbour's.
/// scan(n, carry): carry plus the sum of n over the team's threads up to this one; carry becomes that of the last.
template <unsigned lanes>
struct LaneGroup {
  static constexpr unsigned size = lanes;
  unsigned rank = threadIdx.x % lanes;

  __device__ __forceinline__ std::uint32_t scan(std::uint32_t n, std::uint32_t& carry) const {
    const unsigned first = threadIdx.x % warp_size - rank;
    const unsigned group = lanes == warp_size ? whole_warp : ((1u << lanes % warp_size) - 1) << first;
#pragma unroll
    for (unsigned step = 1; step < lanes; step *= 2) {
      const std::uint32_t before = __shfl_up_sync(group, n, step, lanes);
      if (rank >= step) n += before;
    }
    n += carry;
    carry = __shfl_sync(group, n, lanes - 1, lanes);
    return n;
  }
};

/// All threads of a block: `threads`, a multiple of the warp.
template <unsigned threads>
struct WholeBlock {
  static constexpr unsigned size = threads;
  unsigned rank = threadIdx.x;
  std::uint32_t* of_warps;  // shared memory: threads / warp_size

  __device__ __forceinline__ std::uint32_t scan(std::uint32_t n, std::uint32_t& carry) const {
    std::uint32_t in_warp = 0;
    n = LaneGroup<warp_size>{}.scan(n, in_warp);
    if (rank % warp_size == 0) of_warps[rank / warp_size] = in_warp;
    __syncthreads();
    std::uint32_t all = carry;
    for (unsigned w = 0; w < threads / warp_size; ++w) {
      if (w == rank / warp_size) n += all;
      all += of_warps[w];
    }
    carry = all;
    __syncthreads();
    return n;
  }
};

/// Calls use(k, column) for each entry k of stored row i, in the thread of the team whose turn it is. All threads of
/// the team take part, with the same i; teams of one warp need not be at the same row, or at any.
template <class Team, class Use>
__device__ __forceinline__ void for_each_column(const OptCsrIndices& a, std::uint64_t i, const Team& team, Use&& use) {
  const std::uint64_t begin = a.row_ptr[i], end = a.row_ptr[i + 1];
  if (begin == end) return;
  with_codes_of_row(a, i, [&]<class Code>(const Code* codes) {
    if (a.distances) {
      const auto row = static_cast<std::uint32_t>(a.row_of(i));
      for (std::uint64_t k = begin + team.rank; k < end; k += Team::size) {
        const auto distance = static_cast<std::make_signed_t<Code>>(load_once(codes + k));
        use(k, row + static_cast<std::uint32_t>(static_cast<std::int32_t>(distance)));
      }
      return;
    }
    std::uint32_t column = 0;
    for (std::uint64_t at = begin; at < end; at += Team::size) {
      const std::uint64_t k = at + team.rank;
      std::uint32_t gap = 0;
      if (k < end) gap = load_once(codes + k);
      if (k == begin) gap = first_column(a, i, static_cast<Code>(gap));
      const std::uint32_t here = team.scan(gap, column);
      if (k < end) use(k, here);
    }
  });
}

}  // namespace spress::cuda
