// spress for C++ programs: the functions of <spress/spress.h> with owners and exceptions. Needs C++20, and nothing but
// this folder and the library.
//
//   spress::CsrView view(rows, cols, row_ptr, col_idx, values);      // arrays of the caller, not copied
//   spress::Matrix matrix = spress::encode(view, "auto");
//   matrix.multiply(x, y);                                            // y = A x
#pragma once

#if __cplusplus < 202002L
#error "spress.hpp needs C++20; with CMake: target_compile_features(program PRIVATE cxx_std_20)"
#endif

#include <spress/spress.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace spress {
inline namespace v0 {

/// An error: code() for programs, what() in one sentence.
class Exception : public std::runtime_error {
 public:
  explicit Exception(spress_result code, const std::string& what = spress_last_error())
      : std::runtime_error(what), code_(code) {}
  [[nodiscard]] spress_result code() const { return code_; }

 private:
  spress_result code_;
};

namespace detail {

inline void check(spress_result status) {
  if (status != SPRESS_OK) throw Exception(status);
}

/// Text as C takes it.
inline const char* c_text(const std::string& text) {
  if (text.find('\0') == std::string::npos) return text.c_str();
  throw Exception(SPRESS_USAGE, std::string("a name or path that begins with '") + text.c_str() +
                                    "' holds a NUL character, where C ends a text: leave it out");
}
/// The same; null for empty text.
inline const char* c_text_or_null(const std::string& text) { return text.empty() ? nullptr : c_text(text); }

struct Free {
  void operator()(spress_csr* csr) const { spress_csr_free(csr); }
  void operator()(spress_matrix* matrix) const { spress_matrix_free(matrix); }
  void operator()(char* text) const { spress_free_text(text); }
};
template <class T>
using Handle = std::unique_ptr<T, Free>;

/// The text that `give` hands out.
template <class Give>
std::string text_of(Give&& give) {
  char* text = nullptr;
  check(give(&text));
  return Handle<char>(text).get();
}

/// The handle that `give` hands out.
template <class T, class Give>
Handle<T> handle_of(Give&& give) {
  T* made = nullptr;
  check(give(&made));
  return Handle<T>(made);
}

template <class T>
consteval spress_type type_of() {
  using Plain = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Plain, float>)
    return SPRESS_FLOAT;
  else if constexpr (std::is_same_v<Plain, double>)
    return SPRESS_DOUBLE;
  else if constexpr (std::is_same_v<Plain, std::complex<double>>)
    return SPRESS_COMPLEX;
  else {
    static_assert(std::is_integral_v<Plain> && (sizeof(Plain) == 4 || sizeof(Plain) == 8),
                  "positions and ids are integers of 32 or 64 bits, values float, double or std::complex<double>");
    return sizeof(Plain) == 4 ? SPRESS_INT32 : SPRESS_INT64;
  }
}

/// Contiguous memory that outlives the call: a vector or an array with a name, or a view such as std::span.
template <class T>
concept Lasting = std::ranges::contiguous_range<T> && std::ranges::borrowed_range<T>;

[[nodiscard]] inline std::string copied(const char* text) {
  return text == nullptr ? std::string() : std::string(text);
}

}  // namespace detail

/// Arrays of the caller as a matrix in CSR. Nothing is copied here.
class CsrView {
 public:
  /// Spans, vectors and the like, but no temporary vectors. row_ptr: rows + 1 integers of 32 or 64 bits; col_idx: nnz
  /// of these; values: nnz numbers, float, double or std::complex<double>. Throws std::invalid_argument for other
  /// lengths.
  template <detail::Lasting RowPtr, detail::Lasting ColIdx, detail::Lasting Values>
  CsrView(std::int64_t rows, std::int64_t cols, RowPtr&& row_ptr, ColIdx&& col_idx, Values&& values)
      : CsrView(rows, cols, row_ptr, col_idx) {
    if (std::ranges::size(values) != std::ranges::size(col_idx))
      throw std::invalid_argument("values and col_idx differ in length");
    arrays_.values = std::ranges::data(values);
    arrays_.values_type = detail::type_of<std::ranges::range_value_t<Values>>();
  }
  /// A pattern: every entry counts as 1.
  template <detail::Lasting RowPtr, detail::Lasting ColIdx>
  CsrView(std::int64_t rows, std::int64_t cols, RowPtr&& row_ptr, ColIdx&& col_idx) {
    if (rows < 0 || std::ranges::size(row_ptr) != static_cast<std::size_t>(rows) + 1)
      throw std::invalid_argument("row_ptr has another length than rows + 1");
    arrays_ = {rows,
               cols,
               static_cast<std::int64_t>(std::ranges::size(col_idx)),
               std::ranges::data(row_ptr),
               std::ranges::data(col_idx),
               nullptr,
               detail::type_of<std::ranges::range_value_t<RowPtr>>(),
               detail::type_of<std::ranges::range_value_t<ColIdx>>(),
               SPRESS_NONE};
  }

  [[nodiscard]] const spress_arrays& arrays() const { return arrays_; }

 private:
  spress_arrays arrays_;
};

/// A matrix in CSR: read from a file, decoded, or seen in the caller's arrays, which have to outlive it.
class Csr {
 public:
  Csr(const CsrView& view)
      : handle_(detail::handle_of<spress_csr>(
            [&](spress_csr** out) { return spress_csr_from_arrays(&view.arrays(), out); })) {}
  explicit Csr(detail::Handle<spress_csr> handle) : handle_(std::move(handle)) {}

  [[nodiscard]] spress_arrays arrays() const {
    spress_arrays out;
    spress_csr_arrays(handle_.get(), &out);
    return out;
  }
  [[nodiscard]] std::int64_t rows() const { return arrays().rows; }
  [[nodiscard]] std::int64_t cols() const { return arrays().cols; }
  [[nodiscard]] std::int64_t nnz() const { return arrays().nnz; }
  [[nodiscard]] spress_csr_info info() const {
    spress_csr_info out;
    spress_csr_get_info(handle_.get(), &out);
    return out;
  }

  /// Writes a file whose kind its ending says. level: of zstd, for .spress; 0: the usual one.
  void write(const std::string& path, int level = 0, bool seekable = false) const {
    detail::check(spress_csr_write(handle_.get(), detail::c_text(path), level, seekable ? 1 : 0));
  }
  /// The record of `spress analyze`, as JSON. Lists with commas; empty: the usual ones.
  [[nodiscard]] std::string analyze(const std::string& formats = {}, const std::string& orderings = {}) const {
    return detail::text_of([&](char** json) {
      return spress_csr_analyze(handle_.get(), detail::c_text_or_null(formats), detail::c_text_or_null(orderings),
                                json);
    });
  }
  /// The permutations of an ordering: perm[new] = old.
  struct Reordering {
    std::vector<std::int32_t> row_perm, col_perm;
  };
  [[nodiscard]] Reordering reorder(const std::string& ordering) const {
    const spress_arrays shape = arrays();
    Reordering to{std::vector<std::int32_t>(static_cast<std::size_t>(shape.rows)),
                  std::vector<std::int32_t>(static_cast<std::size_t>(shape.cols))};
    detail::check(spress_csr_reorder(handle_.get(), detail::c_text(ordering), to.row_perm.data(), to.col_perm.data()));
    return to;
  }
  [[nodiscard]] const spress_csr* handle() const { return handle_.get(); }

 private:
  detail::Handle<spress_csr> handle_;
};

/// Reads a file of any kind that spress knows, or makes what "gen:NAME,key=value" describes. part: which matrix of a
/// file that holds several; index_base: of a list of edges, 0 or 1, or -1 where the file says it.
[[nodiscard]] inline Csr read(const std::string& path, const std::string& part = {}, int index_base = -1) {
  return Csr(detail::handle_of<spress_csr>([&](spress_csr** out) {
    return spress_csr_read(detail::c_text(path), detail::c_text_or_null(part), index_base, out);
  }));
}

struct Shape {
  std::int64_t rows = 0, cols = 0, nnz = 0;
};

/// The shape of the matrix in a .spress file. Little else is read.
[[nodiscard]] inline Shape read_shape(const std::string& path) {
  Shape shape;
  detail::check(spress_read_shape(detail::c_text(path), &shape.rows, &shape.cols, &shape.nnz));
  return shape;
}

/// Rows first to last - 1 of a .spress file.
[[nodiscard]] inline Csr read_rows(const std::string& path, std::int64_t first, std::int64_t last) {
  return Csr(detail::handle_of<spress_csr>(
      [&](spress_csr** out) { return spress_csr_read_rows(detail::c_text(path), first, last, out); }));
}

/// A matrix in one of the formats.
class Matrix {
 public:
  explicit Matrix(detail::Handle<spress_matrix> handle) : handle_(std::move(handle)) {
    spress_matrix_get_info(handle_.get(), &info_);
  }
  Matrix(Matrix&& other) noexcept : handle_(std::move(other.handle_)), info_(std::exchange(other.info_, {})) {}
  Matrix& operator=(Matrix&& other) noexcept {
    handle_ = std::move(other.handle_);
    info_ = std::exchange(other.info_, {});
    return *this;
  }

  [[nodiscard]] std::int64_t rows() const { return info_.rows; }
  [[nodiscard]] std::int64_t cols() const { return info_.cols; }
  [[nodiscard]] std::int64_t nnz() const { return info_.nnz; }
  [[nodiscard]] std::int64_t bytes() const { return info_.bytes; }  ///< of all arrays, in memory
  [[nodiscard]] std::string format() const { return detail::copied(info_.format); }
  [[nodiscard]] std::string values_store() const { return detail::copied(info_.values_store); }
  /// The bytes of each array, as JSON.
  [[nodiscard]] std::string breakdown() const {
    return detail::text_of([&](char** json) { return spress_breakdown(handle_.get(), json); });
  }

  /// y = alpha A x + beta y. x: cols, y: rows; they do not overlap. Where beta is 0, y is not read.
  void multiply(std::span<const double> x, std::span<double> y, double alpha = 1, double beta = 0) const {
    check_lengths(x.size(), y.size());
    detail::check(spress_multiply(handle_.get(), alpha, x.data(), beta, y.data()));
  }
  void multiply(std::span<const float> x, std::span<float> y, float alpha = 1, float beta = 0) const {
    check_lengths(x.size(), y.size());
    detail::check(spress_multiply_float(handle_.get(), alpha, x.data(), beta, y.data()));
  }

  /// Y = alpha A X + beta Y for `count` vectors: X holds them one after the other (cols x count), and Y the results
  /// (rows x count).
  void multiply_block(std::int64_t count, std::span<const double> x, std::span<double> y, double alpha = 1,
                      double beta = 0) const {
    check_lengths(x.size(), y.size(), count);
    detail::check(
        spress_multiply_block(handle_.get(), count, alpha, x.data(), 1, info_.cols, beta, y.data(), 1, info_.rows));
  }
  void multiply_block(std::int64_t count, std::span<const float> x, std::span<float> y, float alpha = 1,
                      float beta = 0) const {
    check_lengths(x.size(), y.size(), count);
    detail::check(spress_multiply_block_float(handle_.get(), count, alpha, x.data(), 1, info_.cols, beta, y.data(), 1,
                                              info_.rows));
  }

  [[nodiscard]] Matrix transposed() const {
    return Matrix(
        detail::handle_of<spress_matrix>([&](spress_matrix** out) { return spress_transpose(handle_.get(), out); }));
  }
  [[nodiscard]] Csr decode() const {
    return Csr(detail::handle_of<spress_csr>([&](spress_csr** out) { return spress_decode(handle_.get(), out); }));
  }
  /// Writes the format as it is to a file whose name ends in .spress.
  void save(const std::string& path) const { detail::check(spress_matrix_write(handle_.get(), detail::c_text(path))); }

  /// Copies the matrix to the current CUDA device, for multiply_on_device.
  void to_device() { detail::check(spress_to_device(handle_.get())); }
  /// Copies it to the device of a number from 0, whichever is current. It is on one device at a time.
  void to_device(int device) { detail::check(spress_to_device_number(handle_.get(), device)); }
  /// Multiplies as `multiply` does, with vectors on that device, in the order of a stream. Returns before it is done.
  void multiply_on_device(const double* x, double* y, void* stream = nullptr, double alpha = 1, double beta = 0) const {
    detail::check(spress_multiply_on_device(handle_.get(), alpha, x, beta, y, stream));
  }
  void multiply_on_device(const float* x, float* y, void* stream = nullptr, float alpha = 1, float beta = 0) const {
    detail::check(spress_multiply_on_device_float(handle_.get(), alpha, x, beta, y, stream));
  }
  [[nodiscard]] const spress_matrix* handle() const { return handle_.get(); }

 private:
  void check_lengths(std::size_t x, std::size_t y, std::int64_t count = 1) const {
    const auto fits = [count](std::size_t length, std::int64_t size) {  // without a product that may overflow
      const auto vectors = static_cast<std::size_t>(count), each = static_cast<std::size_t>(size);
      return vectors == 0 || each == 0 ? length == 0 : length % each == 0 && length / each == vectors;
    };
    if (count < 0) throw std::invalid_argument(std::to_string(count) + " vectors");
    if (!fits(x, info_.cols) || !fits(y, info_.rows))
      throw std::invalid_argument("x has " + std::to_string(x) + " elements and y " + std::to_string(y) +
                                  "; expected " + std::to_string(count) + " times " + std::to_string(info_.cols) +
                                  " and " + std::to_string(info_.rows));
  }

  detail::Handle<spress_matrix> handle_;
  spress_matrix_info info_;
};

/// Encodes a matrix. format: a name with parameters, or "auto"; values: a value store, or "auto"; goal: what "auto"
/// aims at: "memory", "spmv" or "transfer". Nothing of csr is needed afterwards.
[[nodiscard]] inline Matrix encode(const Csr& csr, const std::string& format = "auto",
                                   const std::string& values = "auto", const std::string& goal = "memory") {
  return Matrix(detail::handle_of<spress_matrix>([&](spress_matrix** out) {
    return spress_encode(csr.handle(), detail::c_text(format), detail::c_text(values), detail::c_text(goal), out);
  }));
}

/// Reads a .spress file that holds a format.
[[nodiscard]] inline Matrix load(const std::string& path) {
  return Matrix(detail::handle_of<spress_matrix>(
      [&](spress_matrix** out) { return spress_matrix_read(detail::c_text(path), out); }));
}

/// A table as JSON: "formats", "orderings", "gallery" or "files".
[[nodiscard]] inline std::string list(const std::string& what) {
  return detail::text_of([&](char** json) { return spress_list(detail::c_text(what), json); });
}

}  // namespace v0
}  // namespace spress
