// Containers run out of memory: wherever the memory ends, an error or std::bad_alloc reaches the caller.
#include <gtest/gtest.h>

#include "formats/io/container/container.hpp"
#include "formats/io/container/container_descriptor.hpp"
#include "tests/failing_allocations.hpp"
#include "tests/formats/io/container/container_samples.hpp"

namespace spress::io {
namespace {

using failing::check_each_end;

/// A head whose descriptor has names, scalars and several arrays of blocks.
ContainerHead some_head() {
  ContainerHead head;
  head.format = "csr";
  head.scalars = {{"rows", "3"}, {"index", "delta"}};
  head.info.matrix.name = "a name that does not fit into a short string";
  head.info.ordering = "rcm";
  for (const char* name : {"row_ptr", "col_idx"})
    head.arrays.push_back({name, "index", "u32", 4, {BlockRecord{0, 16, 16, 0, "none"}}});
  return head;
}

TEST(OutOfMemory, ADescriptorIsWritten) {
  const ContainerHead head = some_head();
  EXPECT_GT(check_each_end([&] { static_cast<void>(descriptor_text(head)); }), 10);
}

TEST(OutOfMemory, ADescriptorIsReadOrRefused) {
  const samples::OneThread one_thread;
  const auto csr = samples::csr_of({"small", 6, 6, {{0, 1}, {0, 2}, {1, 0}, {3, 3}, {4, 0}, {4, 5}, {5, 5}}});
  const auto file = write_container_bytes<Csr>(view_of(csr), {}, {});
  ASSERT_TRUE(file.ok());
  EXPECT_GT(check_each_end([&] {
              const auto head = read_container_head_bytes(*file);
              if (!head.ok() && head.error().code == ErrorCode::too_large) throw std::bad_alloc();
              failing::allocations_left = failing::any_number;
              ASSERT_TRUE(head.ok());
            }),
            10);
}

}  // namespace
}  // namespace spress::io
