#include <algorithm>

#include "formats/padded/hyb.hpp"
#include "kernels/cuda/padded/slices.cuh"

namespace spress::cuda {
namespace {

/// What one warp takes of the COO part: whole rows, or a part of one long row, whose sum goes to `partial`.
struct RestPiece {
  std::uint64_t first;  // entry
  std::uint32_t count;
  std::uint32_t partial;
};
constexpr unsigned rest_threads = 128;
constexpr std::uint32_t whole_rows = 0xFFFFFFFFu;
constexpr std::uint64_t steps_of_piece = 8, most_in_piece = steps_of_piece * warp_size;

struct RestPlan {
  std::vector<RestPiece> pieces;
  std::vector<Joint> joints;
  std::uint64_t partials = 0;
};

/// Cuts a row that is too long for one piece.
void cut_row(RestPlan& plan, std::uint32_t row, std::uint64_t first, std::uint64_t last) {
  const std::uint64_t length = 4 * most_in_piece;  // in one row, no lane has to look for the ends of others
  const std::uint64_t pieces = (last - first + length - 1) / length;
  plan.joints.push_back({.first_piece = plan.partials, .first_row = row, .pieces = static_cast<std::uint32_t>(pieces)});
  for (; first < last; first += length)
    plan.pieces.push_back({first, static_cast<std::uint32_t>(std::min(length, last - first)),
                           static_cast<std::uint32_t>(plan.partials++)});
}

/// Deals the rest to warps so that no two share a row, but for long rows, which have warps of their own.
RestPlan plan_rest(const Hyb<Viewed>& host) {
  RestPlan plan;
  const std::uint32_t* row = host.coo_row_idx.data();
  for (std::uint64_t first = 0; first < host.coo_nnz;) {
    std::uint64_t last = std::min(first + most_in_piece, host.coo_nnz);
    if (last < host.coo_nnz && row[last] == row[last - 1])
      last = static_cast<std::uint64_t>(std::lower_bound(row + first, row + last, row[last]) - row);
    if (last > first) {
      plan.pieces.push_back({first, static_cast<std::uint32_t>(last - first), whole_rows});
    } else {
      last = static_cast<std::uint64_t>(std::upper_bound(row + first, row + host.coo_nnz, row[first]) - row);
      cut_row(plan, row[first], first, last);
    }
    first = last;
  }
  return plan;
}

/// Sums whole rows and adds them to y: in each step a scan over lanes of the same row, whose last one carries the sum
/// to the next step or, where the row ends, to y.
template <class T, class Values>
__device__ __forceinline__ void add_whole_rows(const RestPiece& piece, const std::uint32_t* row_idx,
                                               const std::uint32_t* col_idx, const Values& values, std::uint64_t slots,
                                               unsigned lane, const T* x, T* y) {
  using Code = decltype(values.load(0));
  constexpr std::uint32_t no_row = 0xFFFFFFFFu;
  std::uint32_t rows[steps_of_piece], columns[steps_of_piece];
  Code codes[steps_of_piece];
#pragma unroll
  for (unsigned u = 0; u < steps_of_piece; ++u) {
    const std::uint32_t i = u * warp_size + lane;
    const std::uint64_t k = piece.first + i;
    rows[u] = i < piece.count ? load_once(row_idx + k) : no_row;
    columns[u] = i < piece.count ? load_once(col_idx + slots + k) : no_column;
    codes[u] = i < piece.count ? values.load(slots + k) : Code{};
  }
  T factors[steps_of_piece];
#pragma unroll
  for (unsigned u = 0; u < steps_of_piece; ++u)
    factors[u] = columns[u] != no_column ? load_shared(x + columns[u]) : T(0);
  T carried = 0;  // the sum of carried_row up to the last step, in every lane
  std::uint32_t carried_row = no_row;
#pragma unroll
  for (unsigned u = 0; u < steps_of_piece; ++u) {
    T sum = columns[u] != no_column ? values.decode(codes[u]) * factors[u] : T(0);
#pragma unroll
    for (unsigned step = 1; step < warp_size; step *= 2) {
      const T before = __shfl_up_sync(whole_warp, sum, step);
      const std::uint32_t row_before = __shfl_up_sync(whole_warp, rows[u], step);
      if (lane >= step && row_before == rows[u]) sum += before;
    }
    if (rows[u] == carried_row) sum += carried;
    const std::uint32_t next_step = u + 1 < steps_of_piece ? __shfl_sync(whole_warp, rows[u + 1], 0) : no_row;
    const std::uint32_t next_lane = __shfl_down_sync(whole_warp, rows[u], 1);
    const std::uint32_t next = lane + 1 < warp_size ? next_lane : next_step;
    if (rows[u] != no_row && rows[u] != next) y[rows[u]] += sum;
    carried = __shfl_sync(whole_warp, sum, warp_size - 1);
    carried_row = __shfl_sync(whole_warp, rows[u], warp_size - 1);
  }
}

/// A warp a piece. slots: of the ELL part, behind which the entries of the rest stand.
template <class T, class Values>
__global__ void __launch_bounds__(rest_threads)
    add_rest(std::uint64_t pieces, const RestPiece* list, const std::uint32_t* row_idx, const std::uint32_t* col_idx,
             Values values, std::uint64_t slots, T* partials, const T* x, T* y) {
  const unsigned lane = threadIdx.x % warp_size;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * (blockDim.x / warp_size);
  std::uint64_t p = std::uint64_t{blockIdx.x} * (blockDim.x / warp_size) + threadIdx.x / warp_size;
  for (; p < pieces; p += stride) {
    const RestPiece piece = list[p];
    if (piece.partial == whole_rows) {
      add_whole_rows(piece, row_idx, col_idx, values, slots, lane, x, y);
      continue;
    }
    const std::uint32_t turns = (piece.count + warp_size - 1) / warp_size;
    const LaneSlots of_lane = {slots + piece.first + lane, warp_size, (piece.count + warp_size - 1 - lane) / warp_size};
    const T sum = sum_over_lanes(sum_slots<false>(col_idx, values, of_lane, turns, x));
    if (lane == 0) partials[piece.partial] = sum;
  }
}

/// The COO part of one matrix, ready to be added to y.
template <class T>
class Rest {
 public:
  [[nodiscard]] static Result<Rest> make(const Hyb<Viewed>& host, const Hyb<Viewed>& device) {
    Rest out;
    const RestPlan plan = plan_rest(host);
    out.device_ = device;
    out.count_ = plan.pieces.size();
    SPRESS_TRY(DeviceMemory pieces, upload(std::span<const RestPiece>(plan.pieces), "the list of pieces"));
    out.pieces_ = std::make_shared<DeviceMemory>(std::move(pieces));
    SPRESS_TRY(out.joints_, Joints<T>::make(plan.joints, plan.partials, 1));
    return out;
  }

  [[nodiscard]] Status add(const T* x, T* y, Stream stream) const {
    SPRESS_CHECK((with_device_accessor<T, Status>(device_.values, [&]<class Values>(Values values) {
      return launch(add_rest<T, Values>, blocks_for(count_, rest_threads / warp_size), rest_threads, stream, count_,
                    pieces_->template as<RestPiece>(), device_.coo_row_idx.data(), device_.col_idx.data(), values,
                    device_.rows * device_.width, joints_.partials(), x, y);
    })));
    return joints_.finish(nullptr, true, y, stream);
  }

 private:
  Hyb<Viewed> device_;
  std::uint64_t count_ = 0;
  std::shared_ptr<DeviceMemory> pieces_;
  Joints<T> joints_;
};

[[nodiscard]] Slices slices_of(const Hyb<Viewed>& a) { return one_slice(a.rows, a.width, a.col_idx.data()); }

template <class T>
Result<Product<T>> make(const Hyb<Viewed>& host, const Hyb<Viewed>& device) {
  SPRESS_TRY(const auto ell, SlicesProduct<T>::make(slices_of(host), slices_of(device), device.values));
  SPRESS_TRY(const auto rest, Rest<T>::make(host, device));
  Product<T> out;
  out.kernel = ell.kernel() + (host.coo_nnz == 0 ? "" : ", then the rest by whole rows");
  out.multiply = [ell, rest](const T* x, T* y, Stream stream) -> Status {
    SPRESS_CHECK(ell.multiply(x, y, stream));
    return rest.add(x, y, stream);
  };
  return out;
}

}  // namespace

SPRESS_CUDA_PRODUCT(Hyb, make)

}  // namespace spress::cuda
