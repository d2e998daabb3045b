// What a generator makes: a matrix as a function of the row, written straight into its place in the CSR arrays.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "formats/matrix.hpp"
#include "formats/result.hpp"

namespace spress::gallery {

inline constexpr std::uint64_t max_side = 2147483647;  ///< rows and columns of a generated matrix
inline constexpr std::uint64_t max_entries = std::uint64_t{1} << 40;

/// Where one row is written: columns ascending, each with its value where the generator has values of its own.
class RowWriter {
 public:
  RowWriter(std::uint32_t* cols, double* values) : cols_(cols), values_(values) {}

  void add(std::uint64_t col, double value = 0.0) {
    cols_[count_] = static_cast<std::uint32_t>(col);
    if (values_ != nullptr) values_[count_] = value;
    ++count_;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// All columns of the row, for generators that draw them in place, and then `counted(n)`.
  [[nodiscard]] std::uint32_t* cols() { return cols_; }
  void counted(std::uint64_t n) { count_ = n; }

 private:
  std::uint32_t* cols_;
  double* values_;  ///< null where the generator's values are not wanted
  std::uint64_t count_ = 0;
};

/// What the entries of a generator are unless other values are asked for.
enum class Natural : std::uint8_t { real, integer, pattern, noise };

/// A matrix, row by row. Both functions are called by several threads at once, in any order, and allocate nothing.
class Rows {
 public:
  Rows(std::uint64_t rows, std::uint64_t cols, Natural natural) : rows_(rows), cols_(cols), natural_(natural) {}
  virtual ~Rows() = default;
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::uint64_t cols() const { return cols_; }
  [[nodiscard]] Natural natural() const { return natural_; }
  /// True if the pattern is symmetric for every choice of parameters' values.
  [[nodiscard]] bool pattern_symmetric() const { return pattern_symmetric_; }
  /// True if the natural values are symmetric too, bit for bit; random values then keep the symmetry.
  [[nodiscard]] bool values_symmetric() const { return values_symmetric_; }

  /// The exact number of entries of a row.
  [[nodiscard]] virtual std::uint64_t length(std::uint64_t row) const = 0;
  /// Writes length(row) entries.
  virtual void fill(std::uint64_t row, RowWriter& out) const = 0;

 protected:
  void symmetric() { pattern_symmetric_ = values_symmetric_ = true; }
  void symmetric_pattern() { pattern_symmetric_ = true; }

 private:
  std::uint64_t rows_, cols_;
  Natural natural_;
  bool pattern_symmetric_ = false, values_symmetric_ = false;
};

using RowsResult = Result<std::unique_ptr<const Rows>>;

/// A generator's result: RowsResult from the constructor arguments of a class of rows.
template <class R, class... Args>
[[nodiscard]] RowsResult make_rows(Args&&... args) {
  return std::unique_ptr<const Rows>(std::make_unique<R>(std::forward<Args>(args)...));
}

}  // namespace spress::gallery
