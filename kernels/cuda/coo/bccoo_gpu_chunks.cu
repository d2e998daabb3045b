#include <algorithm>
#include <string>

#include "formats/coo/bccoo_gpu.hpp"
#include "kernels/cuda/coo/bccoo_gpu_ways.hpp"
#include "kernels/cuda/coo/tuple_plan.cuh"
#include "kernels/cuda/coo/tuple_products.cuh"
#include "kernels/cuda/device/launch.cuh"
#include "kernels/cuda/shared/row_likeness.hpp"

namespace spress::cuda {
namespace {

template <class T, std::size_t width>
Result<Product<T>> make_width(const BccooGpu<Viewed>& host, const BccooGpu<Viewed>& device) {
  const auto chunks = chunks_as_pieces<width>(host);
  if (chunks.empty()) return product_of_nothing<T>(host.rows);
  std::uint64_t most = 0;  // bytes of a chunk
  for (std::uint64_t h = 0; h < chunks.size(); ++h)
    most = std::max(most, host.offset.position(h + 1) - host.offset.position(h));
  const std::uint32_t shared_bytes =
      std::max(staged_bytes(static_cast<unsigned>(most), 1) + read_behind<width>, SpreadProducts<T>::bytes);
  SPRESS_TRY(const auto plan, TuplePlan<T>::make(chunks, device, shared_bytes));
  Product<T> out;
  out.kernel = "chunk per block, sums by row";
  out.multiply = [plan, shared_bytes, blocks = static_cast<unsigned>(chunks.size())](const T* x, T* y, Stream stream) {
    return plan.multiply(x, y, stream, [&](const TupleTask<T>& task) {
      return launch_with_shared(multiply_chunks<T, AnyLayout<width>>, blocks, entry_threads, shared_bytes, stream,
                                task);
    });
  };
  return out;
}

/// Compares the entries of chunk h behind its first row with those of the row before.
template <class Tuple>
void compare_rows(const BccooGpu<Viewed>& f, std::uint64_t h, RowLikeness& out) {
  const std::uint8_t* const data = f.data.data() + f.offset.position(h);
  const std::uint64_t entries = (f.offset.position(h + 1) - f.offset.position(h)) / Tuple::bytes;
  const auto column = [&](std::uint64_t e) {
    return load_unaligned<typename Tuple::ColumnPart>(data + e * Tuple::bytes + Tuple::column_at);
  };
  std::uint64_t before = entries, begin = 0;  // first entries of the row before, none at first, and of this one
  for (std::uint64_t e = 1; e < entries; ++e) {
    if (data[e * Tuple::bytes] != data[(e - 1) * Tuple::bytes]) before = begin, begin = e;
    if (before == entries) continue;
    ++out.all;
    if (const std::uint64_t there = before + (e - begin); there < begin) out.compare(column(e), column(there));
  }
}

template <std::size_t width>
RowLikeness likeness_of_rows(const BccooGpu<Viewed>& f) {
  constexpr std::uint64_t samples = 64;
  const std::uint64_t chunks = f.row.size(), count = std::min(samples, chunks);
  RowLikeness out;
  for (std::uint64_t s = 0; s < count; ++s) {
    const std::uint64_t h = chunks / count * s;
    bccoo_gpu::with_tuple<width>(f.format[h], [&]<class Tuple>(Tuple) { compare_rows<Tuple>(f, h, out); });
  }
  return out;
}

}  // namespace

template <class T>
Result<Product<T>> bccoo_gpu_by_entries(const BccooGpu<Viewed>& host, const BccooGpu<Viewed>& device) {
  if (host.chunk > most_entries || host.row.size() > 0x7FFFFFFFu)
    return Error{ErrorCode::unsupported,
                 "more than 2^31 chunks, or one of more than " + std::to_string(most_entries) + " entries"};
  if (host.value_type == ValueType::none) return make_width<T, 0>(host, device);
  return make_width<T, sizeof(T)>(host, device);
}

template Result<Product<float>> bccoo_gpu_by_entries(const BccooGpu<Viewed>&, const BccooGpu<Viewed>&);
template Result<Product<double>> bccoo_gpu_by_entries(const BccooGpu<Viewed>&, const BccooGpu<Viewed>&);

bool goes_by_entries(const BccooGpu<Viewed>& host) {
  constexpr std::uint64_t least_entries = most_entries / 4;  // of a chunk in the mean
  const std::uint64_t chunks = host.row.size();
  if (chunks == 0 || host.chunk > most_entries || host.nnz / chunks < least_entries) return false;
  const RowLikeness rows = host.value_type == ValueType::none  ? likeness_of_rows<0>(host)
                           : host.value_type == ValueType::f32 ? likeness_of_rows<4>(host)
                                                               : likeness_of_rows<8>(host);
  return !rows.rows_follow();
}

}  // namespace spress::cuda
