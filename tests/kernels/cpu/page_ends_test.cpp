// No product may read behind an array: each array ends where the next page cannot be read.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <vector>

#include "encode/shared/any.hpp"
#include "kernels/cpu/spmv.hpp"
#include "tests/every_spec.hpp"
#include "tests/exact_isa.hpp"
#include "tests/scenarios.hpp"

namespace spress {
namespace {

/// Copies of arrays, each of them at the end of a page in front of one without access.
class PageEnds {
 public:
  PageEnds() = default;
  PageEnds(const PageEnds&) = delete;
  PageEnds& operator=(const PageEnds&) = delete;
  ~PageEnds() {
    for (const auto& [at, bytes] : mappings_) ::munmap(at, bytes);
  }
  const void* copy(const void* data, std::size_t bytes) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t room = (bytes + page - 1) / page * page;
    void* const at = ::mmap(nullptr, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    mappings_.emplace_back(at, room + page);
    auto* const end = static_cast<std::uint8_t*>(at) + room;
    ::mprotect(end, page, PROT_NONE);
    if (bytes != 0) std::memcpy(end - bytes, data, bytes);
    return end - bytes;
  }
  template <template <class> class F>
  F<Viewed> copy(const F<Owned>& f) {
    F<Viewed> view = view_of(f);
    for_each_array([&](const ArrayInfo&, auto& v,
                       const auto& owned) { v.bind(owned.dtype(), copy(owned.raw(), owned.bytes()), owned.size()); },
                   view, f);
    return view;
  }

 private:
  std::vector<std::pair<void*, std::size_t>> mappings_;
};

/// Few entries, and rows without any in front, between and behind.
std::vector<tests::Scenario> scenarios_with_few_entries() {
  std::vector<tests::Scenario> all;
  for (std::uint32_t entries = 1; entries <= 20; ++entries)
    for (const std::uint32_t empty_in_front : {0u, 2u}) {
      tests::Scenario s{std::to_string(entries) + " entries after " + std::to_string(empty_in_front), 0, 7, {}, {}};
      std::uint32_t row = empty_in_front;
      for (std::uint32_t k = 0; k < entries; ++k) {
        s.entries.emplace_back(row, (3 * k) % 7);
        if (k % 3 != 1) row += 1 + k % 2;
      }
      std::sort(s.entries.begin(), s.entries.end());
      s.rows = row + 3;
      all.push_back(s);
    }
  return all;
}

template <class T>
void check(const tests::Scenario& scenario) {
  const auto typed = with_value_type(view_of(tests::make_csr(scenario)), value_type_of<T>);
  ASSERT_TRUE(typed.ok());
  const std::vector<T> x(scenario.cols, T(1.5));
  for (const StoreKind store : {StoreKind::raw, StoreKind::lut8}) {
    const auto a = with_values(view_of(*typed), store);
    if (!a.ok()) continue;
    for (const auto& spec : tests::every_spec()) {
      const auto encoded = encode_any(view_of(*a), spec);
      if (!encoded.ok()) continue;  // what a format holds: tests/encode
      with_any(*encoded, [&](const auto& f) {
        PageEnds ends;
        const auto view = ends.copy(f);
        const auto* const x_at_end = static_cast<const T*>(ends.copy(x.data(), x.size() * sizeof(T)));
        for (const Isa isa : available_isas()) {
          SCOPED_TRACE(scenario.name + ", " + spec.text() + ", " + std::string(enum_name(isa)));
          const tests::ExactIsa exact(isa);
          std::vector<T> expected(scenario.rows, T(-1)), y(scenario.rows, T(-2));
          cpu::spmv<T>(view_of(f), x.data(), expected.data(), 1);
          cpu::spmv<T>(view, x_at_end, y.data(), 1);
          EXPECT_EQ(y, expected);
        }
      });
    }
  }
}

TEST(PageEnds, NoProductReadsBehindItsArrays) {
  for (const auto& scenario : scenarios_with_few_entries()) {
    check<double>(scenario);
    check<float>(scenario);
  }
}

}  // namespace
}  // namespace spress
