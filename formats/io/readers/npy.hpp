// NumPy's arrays (.npy), by themselves and as members of .npz archives.
// Source: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays".
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"
#include "formats/io/bytes/byte_stream.hpp"
#include "formats/io/readers/matrix_input.hpp"
#include "formats/io/readers/read_options.hpp"

namespace spress::io {

/// What an array says of itself.
struct NpyHeader {
  char kind = 'f';        ///< b, i, u, f, c: numbers; S, U: text
  std::size_t width = 8;  ///< bytes of an element
  std::endian order = std::endian::little;
  bool by_columns = false;  ///< the first index runs fastest
  std::vector<std::uint64_t> shape;
  std::uint64_t count = 1;  ///< elements

  [[nodiscard]] std::string type_text() const;  ///< "<f8"
};

[[nodiscard]] bool begins_npy(std::string_view head);

/// Errors: syntax, truncated; unsupported for objects and records; too_large.
[[nodiscard]] Result<NpyHeader> read_npy_header(ByteStream& stream);

/// The elements as whole numbers. Errors: syntax for other kinds; not_representable beyond 63 bits; truncated.
[[nodiscard]] Result<std::vector<std::int64_t>> read_npy_integers(ByteStream& stream, const NpyHeader& header);

/// The elements as ids: whole numbers from 0 that fit 32 bits. Errors: also out_of_range.
[[nodiscard]] Result<std::vector<std::uint32_t>> read_npy_ids(ByteStream& stream, const NpyHeader& header);

/// The element of an array of text that has just one. Errors: syntax; truncated.
[[nodiscard]] Result<std::string> read_npy_text(ByteStream& stream, const NpyHeader& header);

/// The elements as values: real and imaginary part for complex ones.
struct NpyValues {
  Field field = Field::real;  ///< pattern for booleans that are all true, else integer for them
  bool booleans = false;
  std::vector<double> numbers;  ///< also those of a pattern
};
/// Errors: unsupported for text; not_representable where a double cannot be the same number; truncated.
[[nodiscard]] Result<NpyValues> read_npy_values(ByteStream& stream, const NpyHeader& header);

/// The nonzeros of an array of two dimensions. Errors: not_applicable for other dimensions; as read_npy_values.
[[nodiscard]] Result<Matrix> read_dense(ByteStream& stream, const NpyHeader& header, int threads);

/// read_dense of a whole file. Errors: also damaged where bytes follow.
[[nodiscard]] Result<Matrix> read_npy(MatrixInput& input, const ReadOptions& options);

/// The values that booleans were added up to: or is what adds them. Requires: values are raw doubles.
void or_booleans(Matrix& matrix);

/// The bytes before the elements of an array, little-endian, rows first. type: "<f8".
[[nodiscard]] std::string npy_header_text(std::string_view type, const std::vector<std::uint64_t>& shape);

}  // namespace spress::io
