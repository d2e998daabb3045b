// A wire whose clock moves by what it carries.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "encode/shared/any.hpp"
#include "pipeline/device/wire.hpp"

namespace spress::pipeline {

inline constexpr double latency = 0x1p-10, bytes_per_second = 0x1p20;

/// Both ends lie in the host's memory. Expands opt-csr, and takes no time for it.
class FakeWire : public Wire {
 public:
  double clock = 0;
  std::size_t largest = std::size_t(-1);   // allocation on the device
  bool fails = false, fails_once = false;  // every send, or the first
  std::optional<Error> product_failure, expansion_failure;
  std::size_t sent = 0, good = std::size_t(-1);  // copies; of those that come a bit is lost

  Result<std::unique_ptr<Wire>> another() override {
    auto wire = std::make_unique<FakeWire>();
    wire->fails = fails;
    wire->good = good;
    return std::unique_ptr<Wire>(std::move(wire));
  }
  Result<std::shared_ptr<void>> host_memory(std::size_t bytes, HostMemory, std::string_view) override {
    return make(bytes);
  }
  Result<std::shared_ptr<void>> device_memory(std::size_t bytes, std::string_view what) override {
    if (bytes > largest) return Error{ErrorCode::too_large, "no room for " + std::string(what)};
    return make(bytes);
  }
  Status send(std::span<const cuda::Copy> copies, HostMemory) override {
    if (fails || std::exchange(fails_once, false)) return Error{ErrorCode::unsupported, "the wire is cut"};
    for (const auto& copy : copies) {
      if (copy.bytes != 0) std::memcpy(copy.to, copy.from, copy.bytes);
      clock += latency + static_cast<double>(copy.bytes) / bytes_per_second;
      ++sent;
    }
    if (sent > good && !copies.empty() && copies.back().bytes > 0)
      static_cast<std::uint8_t*>(copies.back().to)[copies.back().bytes - 1] ^= 1;
    return Ok{};
  }
  Status send(std::span<const cuda::TransferPiece> pieces, HostMemory from) override {
    for (const auto& piece : pieces) {
      SPRESS_CHECK(send(piece.copies, from));
      if (piece.work) SPRESS_CHECK(piece.work(nullptr));
    }
    return Ok{};
  }
  Status poison(void* device, std::size_t bytes) override {
    std::memset(device, 0xFF, bytes);
    return Ok{};
  }
  Status fetch(void* host, const void* device, std::size_t bytes) override {
    std::memcpy(host, device, bytes);
    return Ok{};
  }
  [[nodiscard]] bool expands(const AnyView& format) const override {
    return std::holds_alternative<OptCsr<Viewed>>(format);
  }
  Result<cuda::Expansion> expansion(const AnyView& host, const AnyView& device, const Csr<Viewed>& target,
                                    std::size_t) override {
    if (expansion_failure) return *expansion_failure;
    const auto from = std::get<OptCsr<Viewed>>(host), to = std::get<OptCsr<Viewed>>(device);
    cuda::Expansion out;
    for_each_array(
        [&](const ArrayInfo&, const auto& a, const auto& b) {
          out.pieces.push_back({{{const_cast<void*>(b.raw()), a.raw(), a.bytes()}}});
          out.bytes += a.bytes();
        },
        from, to);
    out.pieces.push_back({{}, [to, target](cuda::Stream) -> Status {
                            auto raw = with_values(view_of(decode<OptCsr>(to)), StoreKind::raw);
                            for_each_array(
                                [](const ArrayInfo&, const auto& csr, const auto& place) {
                                  if (csr.bytes() != 0)
                                    std::memcpy(const_cast<void*>(place.raw()), csr.raw(), csr.bytes());
                                },
                                *raw, target);
                            return Ok{};
                          }});
    return out;
  }
  Result<double> product_seconds(const AnyView& host, const AnyView&, const Spec&, ValueType) override {
    if (std::holds_alternative<Csr<Viewed>>(host)) return 0x1p-6;
    if (product_failure) return *product_failure;
    return 0x1p-7;
  }

 private:
  static std::shared_ptr<void> make(std::size_t bytes) {
    auto memory = std::make_shared<HostArray<std::uint8_t>>(bytes);
    return {memory, memory->data()};
  }
};

}  // namespace spress::pipeline
