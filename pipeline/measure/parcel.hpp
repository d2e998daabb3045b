// A matrix packed for the transfer to the device, its memory at both ends, and the routes between them.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "encode/shared/any.hpp"
#include "pipeline/device/wire.hpp"

namespace spress::pipeline {

/// Routes: one buffer; array by array, waiting for each; array by array, waiting for all; to be expanded by the GPU.
inline constexpr std::string_view packed = "packed", separate = "separate", queued = "queued", expanded = "expanded";

/// The routes on which arrays go as they are. The first is what the others are compared with.
inline constexpr std::array plain_routes = {separate, queued, packed};

/// Device memory for a packed matrix.
struct Landing {
  std::shared_ptr<void> memory;
  std::size_t bytes = 0;
  AnyView view;
};

template <template <class> class F>
Result<Landing> make_landing(Wire& wire, const F<Viewed>& f) {
  Landing out;
  out.bytes = packed_size(f);
  SPRESS_TRY(out.memory, wire.device_memory(out.bytes, "the matrix as " + std::string(F<Viewed>::name)));
  out.view = packed_view(f, out.memory.get());
  return out;
}

/// A matrix packed in one buffer of the host, and the copies that send it.
struct Parcel {
  std::shared_ptr<void> memory;
  std::size_t bytes = 0;
  AnyView view;
  std::vector<cuda::Copy> whole;   // the buffer
  std::vector<cuda::Copy> arrays;  // a copy each

  [[nodiscard]] const std::vector<cuda::Copy>& copies(std::string_view route) const {
    return route == separate || route == queued ? arrays : whole;
  }
  /// route: one of plain_routes, or `expanded`, which is sent as `packed`.
  [[nodiscard]] Status send(Wire& wire, std::string_view route, HostMemory from) const {
    if (route != separate) return wire.send(copies(route), from);
    for (const auto& copy : arrays) SPRESS_CHECK(wire.send(std::span(&copy, 1), from));
    return Ok{};
  }
};

/// A copy for each array of `f`, to its place in the landing of such a matrix.
template <template <class> class F>
[[nodiscard]] std::vector<cuda::Copy> copies_to(const F<Viewed>& f, const Landing& landing) {
  std::vector<cuda::Copy> copies;
  for_each_array(
      [&](const ArrayInfo&, const auto& from, const auto& to) {
        if (from.bytes() != 0) copies.push_back({const_cast<void*>(to.raw()), from.raw(), from.bytes()});
      },
      f, std::get<F<Viewed>>(landing.view));
  return copies;
}

template <template <class> class F>
Result<Parcel> make_parcel(Wire& wire, const F<Viewed>& f, const Landing& landing, HostMemory memory) {
  Parcel out;
  out.bytes = packed_size(f);
  SPRESS_TRY(out.memory, wire.host_memory(out.bytes, memory, "the matrix as " + std::string(F<Viewed>::name)));
  const F<Viewed> host = pack(f, out.memory.get());
  out.view = host;
  out.whole.push_back({landing.memory.get(), out.memory.get(), out.bytes});
  out.arrays = copies_to(host, landing);
  return out;
}

[[nodiscard]] std::size_t bytes_of(const std::vector<cuda::Copy>& copies);

/// Whether the device holds what the host does, after it was fetched back in parts. Errors: as Wire::fetch.
[[nodiscard]] Result<bool> arrived(Wire& wire, const std::vector<cuda::Copy>& copies);

}  // namespace spress::pipeline
