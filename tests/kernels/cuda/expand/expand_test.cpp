// What leaves the host as a compressed format arrives on the device as the CSR that was encoded, bit for bit.
#include "kernels/cuda/expand/expand.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "encode/shared/any.hpp"
#include "formats/gallery/gallery.hpp"
#include "tests/every_spec.hpp"
#include "tests/kernels/cuda/needs_device.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

using tests::Fill;

/// A format in one buffer at either end.
template <template <class> class F>
struct Ends {
  HostArray<std::uint8_t> memory;
  cuda::DeviceMemory device_memory;
  F<Viewed> host, device;
};

template <template <class> class F>
Result<Ends<F>> place(const F<Viewed>& f) {
  Ends<F> out;
  out.memory = HostArray<std::uint8_t>(packed_size(f));
  out.host = pack(f, out.memory.data());
  SPRESS_TRY(out.device_memory, cuda::allocate(packed_size(f), "a format"));
  SPRESS_CHECK(cuda::fill_bytes(out.device_memory.data(), 0xFF, out.device_memory.bytes()));
  out.device = packed_view(f, out.device_memory.data());
  return out;
}

/// The CSR that the device makes of a format sent in pieces of so many bytes, sent twice: the second time over what the
/// first left.
template <template <class> class F>
Result<Csr<Owned>> expand(const F<Viewed>& f, const Csr<Viewed>& like, std::size_t piece) {
  SPRESS_TRY(const auto from, place(f));
  SPRESS_TRY(const auto target, place(like));
  SPRESS_TRY(const auto expansion, cuda::expansion<F>({from.host, from.device, target.device, piece}));
  SPRESS_TRY(auto courier, cuda::Courier::make());
  for (int time = 0; time < 2; ++time) {
    SPRESS_CHECK(cuda::fill_bytes(target.device_memory.data(), 0xFF, target.device_memory.bytes()));
    SPRESS_CHECK(cuda::synchronize());
    SPRESS_CHECK(courier.send(expansion.pieces));
  }
  HostArray<std::uint8_t> back(packed_size(like));
  SPRESS_CHECK(cuda::copy_to_host(back.data(), target.device_memory.data(), back.bytes()));
  Csr<Owned> out;
  out.rows = like.rows;
  out.cols = like.cols;
  out.nnz = like.nnz;
  const auto view = packed_view(like, back.data());
  out.row_ptr = Positions<Owned>(view.row_ptr.dtype(), view.row_ptr.size());
  if (view.row_ptr.bytes() != 0) std::memcpy(out.row_ptr.raw(), view.row_ptr.raw(), view.row_ptr.bytes());
  out.col_idx = HostArray<std::uint32_t>(std::span(view.col_idx.data(), view.col_idx.size()));
  out.values = empty_like(like.values, like.nnz);
  if (view.values.codes.bytes() != 0)
    std::memcpy(out.values.codes.raw(), view.values.codes.raw(), view.values.codes.bytes());
  return out;
}

template <template <class> class F>
void check(const F<Owned>& f, const Csr<Viewed>& raw, std::size_t small_piece, const std::string& what) {
  if constexpr (cuda::expandable<F>)
    for (const std::size_t piece : {small_piece, std::size_t{1} << 40}) {
      const auto csr = expand(view_of(f), raw, piece);
      ASSERT_TRUE(csr.ok()) << what << ": " << csr.error().text();
      EXPECT_TRUE(identical(view_of(*csr), raw)) << what << " in pieces of " << piece;
    }
}

void check_every_format(const Csr<Viewed>& raw, std::size_t small_piece, const std::string& name) {
  for (StoreKind kind : all_stores) {
    const auto stored = with_values(raw, kind);
    if (!stored.ok()) continue;
    for (const Spec& spec : tests::every_spec()) {
      const auto encoded = encode_any(view_of(*stored), spec);
      if (!encoded.ok()) continue;
      with_any(*encoded, [&]<template <class> class F>(const F<Owned>& f) {
        check(f, raw, small_piece, spec.text() + " " + std::string(enum_name(kind)) + " on " + name);
      });
    }
  }
}

TEST(Expand, EveryFormatStoreAndScenario) {
  NEEDS_DEVICE();
  for (const auto& scenario : tests::scenarios())
    for (const Fill fill : {Fill::real, Fill::pattern}) {
      const auto real = tests::make_csr(scenario, fill);
      check_every_format(view_of(real), 1, scenario.name);
      const auto single = with_value_type(view_of(real), ValueType::f32);
      ASSERT_TRUE(single.ok());
      if (fill == Fill::real) check_every_format(view_of(*single), 1, scenario.name + " in float");
    }
}

/// Matrices of many pieces and chunks, with rows in another order, and of a row longer than any warp should take.
TEST(Expand, LargerMatrices) {
  NEEDS_DEVICE();
  for (const char* text : {"stencil27:n=14,values=noise", "stencil27:n=14,shuffle=3", "elasticity3d:n=8",
                           "circuit:n=3000", "powerlaw:n=3000", "arrow:n=30000", "dense:n=90", "tridiag:n=20000"}) {
    const auto matrix = gallery::generate(parse_spec(text).value());
    ASSERT_TRUE(matrix.ok()) << text << ": " << matrix.error().text();
    check_every_format(view_of(matrix->csr), packed_size(matrix->csr) / 50, text);
  }
}

TEST(Expand, PiecesHoldEveryByteOnce) {
  NEEDS_DEVICE();
  const auto matrix = gallery::generate(parse_spec("stencil27:n=14,values=noise").value());
  const auto f = encode<OptCsr>(view_of(matrix->csr), {});
  ASSERT_TRUE(f.ok());
  const auto from = place(view_of(*f)), again = place(view_of(*f));
  const auto target = place(view_of(matrix->csr));
  ASSERT_TRUE(from.ok() && again.ok() && target.ok());
  const auto expansion = cuda::expansion<OptCsr>({from->host, from->device, target->device, 50000});
  ASSERT_TRUE(expansion.ok());
  EXPECT_GE(expansion->pieces.size(), 7u);
  std::size_t bytes = 0;
  for (const auto& piece : expansion->pieces)
    for (const auto& copy : piece.copies) bytes += copy.bytes;
  EXPECT_EQ(bytes, expansion->bytes);
  const std::size_t ends = f->section_start.bytes();  // which the host tells the kernels
  EXPECT_EQ(bytes, byte_totals(*f).total() - ends);
}

}  // namespace
}  // namespace spress
