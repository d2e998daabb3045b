// What a generator makes: a matrix as a function of the row, written straight into its place in the CSR arrays.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"

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
  /// The columns of the row, for generators that draw some in place behind the `count()` there are, and then call
  /// `grow`.
  [[nodiscard]] std::uint32_t* cols() { return cols_; }
  void grow(std::uint64_t n) { count_ += n; }
  /// Gives every entry added so far the value make(col).
  template <class Make>
  void set_values(const Make& make) {
    if (values_ != nullptr)
      for (std::uint64_t k = 0; k < count_; ++k) values_[k] = make(std::uint64_t{cols_[k]});
  }

 private:
  std::uint32_t* cols_;
  double* values_;  ///< null where the generator's values are not wanted
  std::uint64_t count_ = 0;
};

/// What the entries of a generator are unless other values are asked for.
enum class Natural : std::uint8_t { real, integer, pattern, noise };

/// How much of a matrix equals its transpose for every choice of the parameters.
enum class Mirrored : std::uint8_t {
  nothing,
  pattern,  ///< the pattern, not the natural values
  values,   ///< both, bit for bit; random values then keep the symmetry
};

/// A matrix, row by row. Both functions are called by several threads at once, in any order, and allocate nothing.
class Rows {
 public:
  Rows(std::uint64_t rows, std::uint64_t cols, Natural natural, Mirrored mirrored)
      : rows_(rows), cols_(cols), natural_(natural), mirrored_(mirrored) {}
  virtual ~Rows() = default;
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::uint64_t cols() const { return cols_; }
  [[nodiscard]] Natural natural() const { return natural_; }
  [[nodiscard]] Mirrored mirrored() const { return mirrored_; }

  /// The exact number of entries of a row.
  [[nodiscard]] virtual std::uint64_t length(std::uint64_t row) const = 0;
  /// Writes length(row) entries.
  virtual void fill(std::uint64_t row, RowWriter& out) const = 0;

 private:
  std::uint64_t rows_, cols_;
  Natural natural_;
  Mirrored mirrored_;
};

/// Rows from two functions, for generators without state of their own.
template <class Length, class Fill>
class FunctionRows final : public Rows {
 public:
  FunctionRows(std::uint64_t rows, std::uint64_t cols, Natural natural, Mirrored mirrored, Length length, Fill fill)
      : Rows(rows, cols, natural, mirrored), length_(std::move(length)), fill_(std::move(fill)) {}
  [[nodiscard]] std::uint64_t length(std::uint64_t row) const override { return length_(row); }
  void fill(std::uint64_t row, RowWriter& out) const override { fill_(row, out); }

 private:
  Length length_;
  Fill fill_;
};

using RowsResult = Result<std::unique_ptr<const Rows>>;

/// A generator's result: RowsResult from the constructor arguments of a class of rows.
template <class R, class... Args>
[[nodiscard]] RowsResult make_rows(Args&&... args) {
  return std::unique_ptr<const Rows>(std::make_unique<R>(std::forward<Args>(args)...));
}

/// A generator's result: rows whose length is length(row) and that fill(row, out) writes.
template <class Length, class Fill>
[[nodiscard]] RowsResult rows_by(std::uint64_t rows, std::uint64_t cols, Natural natural, Mirrored mirrored,
                                 Length length, Fill fill) {
  return make_rows<FunctionRows<Length, Fill>>(rows, cols, natural, mirrored, std::move(length), std::move(fill));
}

}  // namespace spress::gallery
