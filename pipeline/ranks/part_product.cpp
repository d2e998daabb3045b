#include "pipeline/ranks/part_product.hpp"

#include <new>

#include "formats/core/clock.hpp"
#include "kernels/cpu/spmv.hpp"

namespace spress::pipeline {
namespace {

Result<EncodedPart> encode_part(const Csr<Viewed>& a, std::uint64_t own, const Spec& spec) {
  try {
    EncodedPart out;
    out.spec = spec;
    SplitRows split = split_at(a, own);
    SPRESS_TRY(out.own, encode_any(view_of(split.own), spec));
    if (split.ghosts.nnz != 0) {
      SPRESS_TRY(out.ghosts, encode_any(view_of(split.ghosts), spec));
    }
    out.boundary = std::move(split.boundary);
    out.bytes = total_bytes(out.own) + total_bytes(out.ghosts) + out.boundary.size() * sizeof(std::uint32_t);
    return out;
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::too_large, "not enough memory for this format"};
  }
}

}  // namespace

template <class T>
GhostExchange<T>::GhostExchange(const MatrixPart& part) : part_(part), ghosts_(part.ghosts().size()) {
  for (const Neighbor& n : part.neighbors()) {
    sent_.emplace_back(n.sends.size());
    if (!n.sends.empty()) sends_.push_back({n.rank, sent_.back().data(), n.sends.size() * sizeof(T)});
    if (n.ghosts != 0) receives_.push_back({n.rank, ghosts_.data() + n.first_ghost, n.ghosts * sizeof(T)});
  }
}

template <class T>
void GhostExchange<T>::begin(const T* x) {
  for (std::size_t i = 0; i < sent_.size(); ++i) {
    const auto& elements = part_.neighbors()[i].sends;
    for (std::size_t k = 0; k < elements.size(); ++k) sent_[i][k] = x[elements[k]];
  }
  part_.ranks().post(receives_, sends_);
}

template <class T>
const T* GhostExchange<T>::finish() {
  const auto start = Clock::now();
  part_.ranks().wait();
  waited_seconds_ += seconds_since(start);
  ++count_;
  return ghosts_.data();
}

template <class T>
std::vector<T> GhostExchange<T>::with_ghosts(const std::vector<T>& x) {
  std::vector<T> out = x;
  begin(x.data());
  const T* ghosts = finish();
  out.insert(out.end(), ghosts, ghosts + ghosts_.size());
  return out;
}

template class GhostExchange<float>;
template class GhostExchange<double>;

Result<EncodedPart> EncodedPart::make(const MatrixPart& part, const Csr<Viewed>& a, const Spec& spec) {
  const auto start = Clock::now();
  SPRESS_TRY(auto out, part.ranks().agree(encode_part(a, part.own_elements(), spec)));
  out.encode_seconds = part.ranks().largest(seconds_since(start));
  out.bytes = part.ranks().sum(out.bytes);
  return out;
}

template <class T>
void multiply(const EncodedPart& a, GhostExchange<T>& exchange, const T* x, T* y, int threads) {
  exchange.begin(x);
  with_any(a.own, [&](const auto& f) { cpu::spmv<T>(view_of(f), x, y, threads); });
  const T* ghosts = exchange.finish();
  if (a.boundary.empty()) return;
  T* more = exchange.scratch(a.boundary.size());
  with_any(a.ghosts, [&](const auto& f) { cpu::spmv<T>(view_of(f), ghosts, more, threads); });
  for (std::size_t i = 0; i < a.boundary.size(); ++i) y[a.boundary[i]] += more[i];
}
template void multiply<float>(const EncodedPart&, GhostExchange<float>&, const float*, float*, int);
template void multiply<double>(const EncodedPart&, GhostExchange<double>&, const double*, double*, int);

}  // namespace spress::pipeline
