// Statistics of values that come in panels are those of all values at once.
#include "analyze/value_stream.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace spress::analyze {
namespace {

class InMemory final : public ValueSpill {
 public:
  explicit InMemory(std::size_t parts) : parts_(parts) {}
  std::size_t parts() const override { return parts_.size(); }
  Status put(std::size_t part, const std::uint8_t* values, std::size_t bytes) override {
    if (bytes > room_) return Error{ErrorCode::unwritable, "full"};
    room_ -= bytes;
    parts_[part].insert(parts_[part].end(), values, values + bytes);
    return Ok{};
  }
  Status for_each_piece(std::size_t part,
                        const std::function<void(const std::uint8_t*, std::size_t)>& use) const override {
    const auto& bytes = parts_[part];
    constexpr std::size_t piece = 48;  // whole values of each type
    for (std::size_t at = 0; at < bytes.size(); at += piece) use(bytes.data() + at, std::min(piece, bytes.size() - at));
    return Ok{};
  }
  void leave(std::uint64_t room) { room_ = room; }
  std::uint64_t held() const {
    std::uint64_t bytes = 0;
    for (const auto& part : parts_) bytes += part.size();
    return bytes;
  }

 private:
  std::vector<std::vector<std::uint8_t>> parts_;
  std::uint64_t room_ = std::numeric_limits<std::uint64_t>::max();
};

void expect_same(const ValueStatistics& a, const ValueStatistics& b) {
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.distinct, b.distinct);
  EXPECT_EQ(a.coverage_256, b.coverage_256);
  EXPECT_EQ(a.coverage_65536, b.coverage_65536);
  EXPECT_EQ(a.exact_in_float, b.exact_in_float);
  EXPECT_EQ(a.explicit_zeros, b.explicit_zeros);
  EXPECT_EQ(a.narrow, b.narrow);
}

template <class T>
void expect_same_in_panels(const std::vector<T>& values, std::size_t parts, std::size_t table) {
  const auto store = raw_store(HostArray<T>(std::span<const T>(values)));
  const auto whole = value_statistics(view_of(store));
  for (const int threads : {1, 3})
    for (const std::uint64_t panel : {std::uint64_t{1000}, std::uint64_t{70000}, std::uint64_t{1} << 20}) {
      InMemory spill(parts);
      ValueStream stream(store.type, spill, table);
      for (std::uint64_t first = 0; first < values.size(); first += panel)
        ASSERT_TRUE(stream.add(slice_of(view_of(store), first, std::min(panel, values.size() - first)), threads).ok());
      const auto got = stream.statistics(threads);
      ASSERT_TRUE(got.ok());
      expect_same(*got, whole);
    }
}

TEST(ValueStream, CountsValuesThatFitTheTable) {
  std::vector<double> values = {0.0, -0.0, 1.5, 1.5, std::numeric_limits<double>::quiet_NaN()};
  expect_same_in_panels(values, 1, 10);
  expect_same_in_panels(values, 4, 5);
}

TEST(ValueStream, CountsValuesThatDoNot) {
  std::mt19937_64 random(3);
  std::vector<double> distinct, mixed, late;
  for (int k = 0; k < 150000; ++k) {
    distinct.push_back(std::uniform_real_distribution<>()(random));
    mixed.push_back(k % 3 == 0 ? distinct.back() : static_cast<double>(random() % 5000));
    late.push_back(k < 20000 ? distinct.back() : 7);
  }
  for (const auto* values : {&distinct, &mixed, &late})
    for (const std::size_t parts : {1, 16}) expect_same_in_panels(*values, parts, 500);
}

TEST(ValueStream, HalvesPartsWithMoreValuesThanATableTakes) {
  std::mt19937_64 random(3);
  std::vector<float> values;
  for (int k = 0; k < 1200000; ++k) values.push_back(std::uniform_real_distribution<float>()(random));
  expect_same_in_panels(values, 2, 10);
}

TEST(ValueStream, CountsPairs) {
  std::vector<std::complex<double>> values;
  for (int k = 0; k < 5000; ++k) values.emplace_back(k % 700, k % 3);
  expect_same_in_panels(values, 8, 100);
}

TEST(ValueStream, CountsNothingOfPatterns) {
  InMemory spill(1);
  ValueStream stream(ValueType::none, spill);
  const auto store = pattern_store(12);
  ASSERT_TRUE(stream.add(view_of(store)).ok());
  const auto got = stream.statistics();
  ASSERT_TRUE(got.ok());
  expect_same(*got, value_statistics(view_of(store)));
}

TEST(ValueStream, PassesErrorsOn) {
  std::vector<double> values;
  for (int k = 0; k < 300000; ++k) values.push_back(k);
  const auto store = raw_store(HostArray<double>(std::span<const double>(values)));
  InMemory spill(4);
  spill.leave(50000);
  ValueStream stream(ValueType::f64, spill, 100);
  Status status = stream.add(view_of(store), 2);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::unwritable);
}

}  // namespace
}  // namespace spress::analyze
