// Small matrices for the tests of the container: every shape that has ever been trouble, in every type of values.
#pragma once

#include <omp.h>

#include <algorithm>
#include <bit>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "encode/shared/codec.hpp"
#include "formats/list.hpp"

namespace spress::io::samples {

/// While it lives, encoders use one thread: on matrices this small, threads cost more than all the rest.
class OneThread {
 public:
  OneThread() { omp_set_num_threads(1); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;
  ~OneThread() { omp_set_num_threads(before_); }

 private:
  int before_ = omp_get_max_threads();
};

using Places = std::set<std::pair<std::uint32_t, std::uint32_t>>;  ///< row, column of each entry

struct Scenario {
  std::string name;
  std::uint64_t rows, cols;
  Places places;
};

/// `per_row` entries in each row but every fifth, around the diagonal with a few far away.
inline Places scattered(std::uint32_t rows, std::uint32_t cols, std::uint32_t per_row) {
  std::mt19937_64 random(42);
  Places places;
  for (std::uint32_t r = 0; r < rows; ++r) {
    if (r % 5 == 3) continue;
    for (std::uint32_t k = 0; k < per_row; ++k) {
      const auto draw = static_cast<std::uint32_t>(random() >> 33);
      places.emplace(r, k == 0 ? draw % cols : (r + draw % 40) % cols);
    }
  }
  return places;
}

inline std::vector<Scenario> scenarios() {
  Places dense_row, wide;
  for (std::uint32_t c = 0; c < 300; ++c) dense_row.emplace(1, c);
  for (std::uint32_t c : {0u, 127u, 128u, 255u, 256u, 32767u, 32768u, 65535u, 65536u, 70000u}) {
    wide.emplace(c % 7, c);
    wide.emplace(8, c);
  }
  return {{"0x0", 0, 0, {}},          {"0xn", 0, 7, {}},
          {"nx0", 7, 0, {}},          {"empty", 5, 6, {}},
          {"single", 4, 9, {{2, 8}}}, {"dense-row", 3, 300, dense_row},
          {"wide", 9, 70001, wide},   {"scattered", 300, 257, scattered(300, 257, 4)}};
}

/// Values that only bits tell apart, then some that repeat.
inline double value_at(std::size_t i) {
  static const double special[] = {-0.0,
                                   0.0,
                                   std::numeric_limits<double>::infinity(),
                                   std::bit_cast<double>(0x7FF8000000000123u),
                                   std::bit_cast<double>(0xFFF0000000000456u),
                                   5e-324,
                                   1.0 / 3.0};
  return i < std::size(special) ? special[i] : static_cast<double>(i % 200) / 8;
}

inline ValueStore<Owned> values_of(ValueType type, std::size_t count) {
  if (type == ValueType::none) return pattern_store(count);
  HostArray<double> real(count);
  HostArray<float> single(count);
  HostArray<std::complex<double>> complex(count);
  for (std::size_t i = 0; i < count; ++i) {
    real[i] = value_at(i);
    single[i] = i < 7 ? std::bit_cast<float>(0x7FC00001u + static_cast<std::uint32_t>(i)) : static_cast<float>(i % 90);
    complex[i] = {value_at(i % 64), value_at((i * 3) % 64)};
  }
  return type == ValueType::f32   ? raw_store(std::move(single))
         : type == ValueType::f64 ? raw_store(std::move(real))
                                  : raw_store(std::move(complex));
}

inline Csr<Owned> csr_of(const Scenario& scenario, ValueStore<Owned> values) {
  Csr<Owned> a;
  a.rows = scenario.rows;
  a.cols = scenario.cols;
  a.nnz = scenario.places.size();
  a.row_ptr = Positions<Owned>(DType::u32, a.rows + 1);
  a.col_idx = HostArray<std::uint32_t>(a.nnz);
  std::fill_n(a.row_ptr.as<std::uint32_t>(), a.rows + 1, 0u);
  std::size_t k = 0;
  for (const auto& [row, col] : scenario.places) {
    ++a.row_ptr.as<std::uint32_t>()[row + 1];
    a.col_idx[k++] = col;
  }
  for (std::size_t r = 0; r < a.rows; ++r) a.row_ptr.as<std::uint32_t>()[r + 1] += a.row_ptr.as<std::uint32_t>()[r];
  a.values = std::move(values);
  return a;
}

inline Csr<Owned> csr_of(const Scenario& scenario, ValueType type = ValueType::f64) {
  return csr_of(scenario, values_of(type, scenario.places.size()));
}

/// Values for which every store of that type exists: up to three small integers, or all the same.
inline ValueStore<Owned> few_values(ValueType type, std::size_t count, bool all_equal) {
  ValueStore<Owned> store = uninitialised_raw_store(type, count);
  for (std::size_t i = 0; i < count; ++i) {
    const int v = all_equal ? 2 : static_cast<int>(i * i % 3);
    if (type == ValueType::f32) store.codes.as<float>()[i] = static_cast<float>(v);
    if (type == ValueType::f64) store.codes.as<double>()[i] = v;
    if (type == ValueType::c128) store.codes.as<std::complex<double>>()[i] = {static_cast<double>(v), 1.0};
  }
  return store;
}

}  // namespace spress::io::samples
