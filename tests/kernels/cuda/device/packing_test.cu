// A format packed into one device buffer is seen by a kernel through the same views as on the host.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "formats/list.hpp"
#include "tests/kernels/cuda/needs_device.hpp"

namespace {

__global__ void sum_columns(spress::View<std::uint32_t> col_idx, unsigned long long* sum) {
  for (std::size_t k = 0; k < col_idx.size(); ++k) *sum += col_idx[k];
}

__global__ void read_values(const double* values, std::size_t count, double* out) {
  for (std::size_t k = 0; k < count; ++k) out[k] = values[k];
}

template <class T>
T* on_device(std::size_t count) {
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, count * sizeof(T)), cudaSuccess);
  EXPECT_EQ(cudaMemset(memory, 0, count * sizeof(T)), cudaSuccess);
  return static_cast<T*>(memory);
}

TEST(Packing, KernelsSeeTheArraysOfAPackedMatrix) {
  NEEDS_DEVICE();
  spress::Csr<> a;
  a.rows = 3, a.cols = 90, a.nnz = 4;
  a.row_ptr = spress::Positions<>(spress::HostArray<std::uint32_t>{0, 2, 2, 4});
  a.col_idx = {1, 80, 7, 12};
  a.values = spress::raw_store(spress::HostArray<double>{0.5, -0.0, 3, 1e300});

  std::vector<std::uint8_t> host(spress::packed_size(a));
  spress::pack(a, host.data());
  auto* device = on_device<std::uint8_t>(host.size());
  auto* sum = on_device<unsigned long long>(1);
  auto* values = on_device<double>(4);
  ASSERT_EQ(cudaMemcpy(device, host.data(), host.size(), cudaMemcpyHostToDevice), cudaSuccess);
  const spress::Csr<spress::Viewed> view = spress::packed_view(a, device);

  sum_columns<<<1, 1>>>(view.col_idx, sum);
  read_values<<<1, 1>>>(view.values.codes.as<double>(), view.nnz, values);
  unsigned long long columns = 0;
  double back[4] = {};
  ASSERT_EQ(cudaMemcpy(&columns, sum, sizeof columns, cudaMemcpyDeviceToHost), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(back, values, sizeof back, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(columns, 100u);
  EXPECT_EQ(back[0], 0.5);
  EXPECT_TRUE(std::signbit(back[1]));
  EXPECT_EQ(back[3], 1e300);
  for (void* memory : {static_cast<void*>(device), static_cast<void*>(sum), static_cast<void*>(values)})
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

}  // namespace
