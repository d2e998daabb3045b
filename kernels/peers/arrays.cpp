#include "kernels/peers/arrays.hpp"

#include <algorithm>
#include <cstdint>

namespace spress::peers {
namespace {

constexpr std::uint64_t largest = 0x7FFFFFFF;

Error refused(const std::string& peer, const std::string& why) { return {ErrorCode::not_applicable, peer + " " + why}; }

}  // namespace

template <class T>
Result<Arrays<T>> arrays_of(const Csr<Viewed>& a, const std::string& peer) {
  if (std::max({a.rows, a.cols, a.nnz}) > largest || a.row_ptr.dtype() != DType::u32)
    return refused(peer, "counts rows, columns and entries in 32-bit integers, which this matrix exceeds");
  const bool pattern = a.values.type == ValueType::none;
  if (!readable_as<T>(a.values) || (!pattern && a.values.kind != StoreKind::raw))
    return refused(peer, "takes raw values of the type that it computes in, or a pattern");
  Arrays<T> out;
  out.rows = static_cast<int>(a.rows);
  out.cols = static_cast<int>(a.cols);
  out.nnz = static_cast<int>(a.nnz);
  // Below 2^31 the signed and the unsigned type of a width share their values, and may stand for each other in memory.
  out.row_ptr = reinterpret_cast<const int*>(a.row_ptr.template as<std::uint32_t>());
  out.col_idx = reinterpret_cast<const int*>(a.col_idx.data());
  if (pattern) out.ones.assign(a.nnz, T(1));
  out.values = pattern ? out.ones.data() : a.values.codes.template as<T>();
  return out;
}

template Result<Arrays<float>> arrays_of<float>(const Csr<Viewed>&, const std::string&);
template Result<Arrays<double>> arrays_of<double>(const Csr<Viewed>&, const std::string&);

}  // namespace spress::peers
