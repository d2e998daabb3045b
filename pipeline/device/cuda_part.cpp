#include "pipeline/device/cuda_part.hpp"

#include <fmt/format.h>

#ifdef SPRESS_WITH_CUDA

#include <span>
#include <utility>

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/matrix.hpp"
#include "pipeline/device/chosen_product.hpp"

namespace spress::pipeline {
Status take_gpu(const Ranks& ranks, DeviceKind kind) {
  if (kind != DeviceKind::cuda || !ranks.several()) return Ok{};
  if (!ranks.on_one_machine())
    return Error{ErrorCode::unsupported,
                 "GPUs share a matrix on one machine only; start all processes there, or leave out --device cuda"};
  const int devices = cuda::device_count();
  if (devices < ranks.size())
    return Error{ErrorCode::unsupported,
                 fmt::format("there are {} GPUs for {} processes, and each needs one", devices, ranks.size())};
  return cuda::use_device(ranks.rank());
}

template <class T>
Result<UploadedFormat<T>> upload_any(const AnyFormat& a, const Spec& spec) {
  UploadedFormat<T> out;
  Status status = Ok{};
  const auto upload = [&]<template <class> class F>(const F<Viewed>& host) -> Status {
    SPRESS_TRY(auto uploaded, cuda::upload(host));
    const auto memory = std::make_shared<const cuda::DeviceMatrix<F>>(std::move(uploaded));
    SPRESS_TRY(out.product, chosen_product<T>(host, memory->view, spec));
    out.memory = memory;
    return Ok{};
  };
  with_any(a, [&](const auto& f) { status = upload(view_of(f)); });
  SPRESS_CHECK(status);
  return out;
}
template Result<UploadedFormat<float>> upload_any(const AnyFormat&, const Spec&);
template Result<UploadedFormat<double>> upload_any(const AnyFormat&, const Spec&);

template <class T>
Result<std::shared_ptr<cuda::PartLinks<T>>> link_gpus(const MatrixPart& part) {
  const Ranks& ranks = part.ranks();
  cuda::PartPeers peers;
  peers.rank = ranks.rank();
  peers.size = ranks.size();
  peers.gather = [&ranks](std::span<const std::byte> mine) { return ranks.gather(mine); };
  std::vector<cuda::PartNeighbor> neighbors;
  for (const Neighbor& n : part.neighbors()) neighbors.push_back({n.rank, n.first_ghost, n.ghosts, n.sends});
  return ranks.agree(cuda::PartLinks<T>::make(peers, neighbors, part.ghosts().size()));
}
template Result<std::shared_ptr<cuda::PartLinks<float>>> link_gpus(const MatrixPart&);
template Result<std::shared_ptr<cuda::PartLinks<double>>> link_gpus(const MatrixPart&);

template <class T>
Result<cuda::Product<T>> part_product(const EncodedPart& a, std::shared_ptr<cuda::PartLinks<T>> links) {
  cuda::PartProduct<T> part;
  SPRESS_TRY(auto own, upload_any<T>(a.own, a.spec));
  part.own = std::move(own.product);
  part.held = {std::move(own.memory)};
  if (!a.boundary.empty()) {
    SPRESS_TRY(auto ghosts, upload_any<T>(a.ghosts, a.spec));
    part.ghosts = std::move(ghosts.product);
    part.held.push_back(std::move(ghosts.memory));
    SPRESS_TRY(part.boundary, cuda::upload(std::span<const std::uint32_t>(a.boundary), "the rows with ghosts"));
    SPRESS_TRY(part.more, cuda::allocate(a.boundary.size() * sizeof(T), "the product with the ghosts"));
  }
  part.boundary_rows = a.boundary.size();
  SPRESS_CHECK(cuda::synchronize());
  return cuda::joined<T>(std::move(part), std::move(links));
}
template Result<cuda::Product<float>> part_product(const EncodedPart&, std::shared_ptr<cuda::PartLinks<float>>);
template Result<cuda::Product<double>> part_product(const EncodedPart&, std::shared_ptr<cuda::PartLinks<double>>);

}  // namespace spress::pipeline

#else

namespace spress::pipeline {

Status take_gpu(const Ranks&, DeviceKind kind) { return check_device(kind); }

}  // namespace spress::pipeline

#endif
