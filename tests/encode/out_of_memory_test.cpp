// Encoders run out of memory: wherever the memory ends, on whatever thread, std::bad_alloc reaches the caller.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>

#include "encode/shared/any.hpp"
#include "formats/gallery/gallery.hpp"
#include "tests/failing_allocations.hpp"

namespace spress {
namespace {

using failing::enough;

/// Lets memory end after 0, 1, 2... allocations, ever fewer of the numbers, until there is enough of it.
template <class Work>
void check_every_end(const Work& work) {
  for (long n = 0; !enough(n, work); n += 1 + n / 16) ASSERT_LT(n, 100000);
}

class OutOfMemory : public testing::TestWithParam<Spec> {
 protected:
  void SetUp() override {
    threads_ = omp_get_max_threads();
    omp_set_num_threads(3);
  }
  void TearDown() override { omp_set_num_threads(threads_); }

 private:
  int threads_ = 1;
};

TEST_P(OutOfMemory, ThrowsToTheCaller) {
  // Enough entries for several threads, and more distinct values than are counted in one table.
  const auto matrix = gallery::generate(parse_spec("uniform:n=16500,k=6,values=noise").value());
  ASSERT_TRUE(matrix.ok()) << matrix.error().text();
  const auto a = view_of(matrix->csr);
  check_every_end([&] { static_cast<void>(estimate_any(a, GetParam())); });
  check_every_end([&] { static_cast<void>(encode_any(a, GetParam())); });
}

INSTANTIATE_TEST_SUITE_P(Formats, OutOfMemory, testing::ValuesIn(all_formats()), [](const auto& test) {
  std::string name = test.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace spress
