#include "formats/io/readers/petsc.hpp"

#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "formats/core/checks.hpp"
#include "formats/io/bytes/output_file.hpp"
#include "formats/io/entries/assemble.hpp"
#include "formats/io/entries/declaration.hpp"
#include "formats/io/readers/binary.hpp"

namespace spress::io {
namespace {

using namespace std::string_view_literals;

constexpr std::int64_t matrix_class = 1211216, vector_class = 1211214, dense = -1;
constexpr auto order = std::endian::big;
constexpr std::string_view narrow_begin = "\x00\x12\x7b\x50"sv, wide_begin = "\x00\x00\x00\x00\x00\x12\x7b\x50"sv;

std::int64_t integer_at(const std::uint8_t* at, std::size_t width) {
  return width == 4 ? number_at<std::int32_t>(at, order) : number_at<std::int64_t>(at, order);
}

struct PetscHead {
  std::size_t width;  ///< bytes of an integer
  std::int64_t rows, cols, entries;
};

Result<PetscHead> read_head(ByteStream& stream, std::string_view begin) {
  PetscHead head{begin.starts_with(wide_begin) ? std::size_t{8} : std::size_t{4}, 0, 0, 0};
  std::int64_t numbers[4] = {};
  SPRESS_CHECK(for_pieces(stream, 4, head.width, "numbers of its head",
                          [&](const std::uint8_t* bytes, std::size_t n, std::uint64_t) -> Status {
                            for (std::size_t k = 0; k < n; ++k)
                              numbers[k] = integer_at(bytes + k * head.width, head.width);
                            return Ok{};
                          }));
  if (numbers[0] != matrix_class)
    return Error{ErrorCode::syntax, "begins with " + std::to_string(numbers[0]) +
                                        ", not with the class id of a PETSc matrix, " + std::to_string(matrix_class)};
  head.rows = numbers[1];
  head.cols = numbers[2];
  head.entries = numbers[3];
  if (head.rows < 0 || head.cols < 0 || head.entries < dense)
    return Error{ErrorCode::out_of_range, "says it has " + std::to_string(head.rows) + " rows, " +
                                              std::to_string(head.cols) + " columns and " +
                                              std::to_string(head.entries) + " entries, which may not be negative"};
  SPRESS_CHECK(checks::sides(static_cast<std::uint64_t>(head.rows), static_cast<std::uint64_t>(head.cols)));
  return head;
}

/// Entries before each row, from the entries of each.
Result<std::vector<std::uint64_t>> read_pointers(ByteStream& stream, const PetscHead& head) {
  std::vector<std::uint64_t> pointers = {0};
  const auto rows = static_cast<std::uint64_t>(head.rows), entries = static_cast<std::uint64_t>(head.entries);
  SPRESS_CHECK(for_pieces(stream, rows, head.width, "row lengths",
                          [&](const std::uint8_t* bytes, std::size_t n, std::uint64_t first) -> Status {
                            if (Status room = make_room(pointers, n, "the row lengths"); !room.ok()) return room;
                            for (std::size_t k = 0; k < n; ++k) {
                              const std::int64_t length = integer_at(bytes + k * head.width, head.width);
                              if (length < 0 || static_cast<std::uint64_t>(length) > entries - pointers.back())
                                return Error{
                                    ErrorCode::out_of_range,
                                    "row " + std::to_string(first + k) + " (from 0) has " + std::to_string(length) +
                                        " entries, more or less than are left of the " + std::to_string(entries)};
                              pointers.push_back(pointers.back() + static_cast<std::uint64_t>(length));
                            }
                            return Ok{};
                          }));
  if (pointers.back() == entries) return pointers;
  return Error{ErrorCode::damaged, "its rows have " + std::to_string(pointers.back()) + " entries, and the head says " +
                                       std::to_string(entries)};
}

Result<std::vector<std::uint32_t>> read_columns(ByteStream& stream, const PetscHead& head) {
  std::vector<std::uint32_t> columns;
  SPRESS_CHECK(for_pieces(stream, static_cast<std::uint64_t>(head.entries), head.width, "column ids",
                          [&](const std::uint8_t* bytes, std::size_t n, std::uint64_t first) -> Status {
                            if (Status room = make_room(columns, n, "the column ids"); !room.ok()) return room;
                            for (std::size_t k = 0; k < n; ++k) {
                              const std::int64_t column = integer_at(bytes + k * head.width, head.width);
                              if (column < 0 || column >= head.cols)
                                return Error{ErrorCode::out_of_range,
                                             "entry " + std::to_string(first + k) + " (from 0) has column " +
                                                 std::to_string(column) + " of " + std::to_string(head.cols)};
                              columns.push_back(static_cast<std::uint32_t>(column));
                            }
                            return Ok{};
                          }));
  return columns;
}

/// The values of a matrix, and what the bytes behind the ids say about their width.
struct Values {
  std::vector<double> numbers;
  Field field = Field::real;
  bool more_follows = false;
};

/// Whether another object of PETSc begins there.
bool begins_object(const std::uint8_t* at, std::size_t bytes, std::size_t width) {
  if (bytes < width) return false;
  const std::int64_t id = integer_at(at, width);
  return id == matrix_class || id == vector_class;
}

/// Appends up to `count` numbers; fewer at the end of the stream. Gives the bytes left over of an unfinished number.
Result<std::size_t> read_numbers(ByteStream& stream, std::uint64_t count, std::vector<double>& numbers) {
  std::array<char, 1 << 16> buffer;
  while (count > 0) {
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(count, buffer.size() / 8)) * 8;
    SPRESS_TRY(const std::size_t got, stream.read(buffer.data(), wanted));
    SPRESS_CHECK(make_room(numbers, got / 8, "the values"));
    for (std::size_t k = 0; k + 8 <= got; k += 8)
      numbers.push_back(number_at<double>(reinterpret_cast<const std::uint8_t*>(buffer.data()) + k, order));
    if (got < wanted) return got % 8;
    count -= wanted / 8;
  }
  return std::size_t{0};
}

/// `count` values, real or complex: the stream ends behind them, or another object begins there.
Result<Values> read_values(ByteStream& stream, std::uint64_t count, std::size_t width) {
  Values out;
  SPRESS_TRY(const std::size_t left, read_numbers(stream, count, out.numbers));
  const auto too_short = [&](std::uint64_t wanted) {
    return Error{ErrorCode::truncated,
                 "ends after " + std::to_string(out.numbers.size()) + " of " + std::to_string(wanted) + " values"};
  };
  if (out.numbers.size() < count || left != 0) return too_short(count);
  std::array<char, 8> next;
  SPRESS_TRY(std::size_t behind, stream.read(next.data(), next.size()));
  const auto at = [&] { return reinterpret_cast<const std::uint8_t*>(next.data()); };
  if (behind == 0) return out;
  if (begins_object(at(), behind, width)) {
    out.more_follows = true;
    return out;
  }
  if (count == 0) return Error{ErrorCode::damaged, "has bytes behind its end that are no object of PETSc's"};
  out.field = Field::complex;
  if (behind < next.size()) return too_short(2 * count);
  out.numbers.push_back(number_at<double>(at(), order));
  SPRESS_TRY(const std::size_t rest, read_numbers(stream, count - 1, out.numbers));
  if (out.numbers.size() < 2 * count || rest != 0) return too_short(2 * count);
  SPRESS_TRY(behind, stream.read(next.data(), next.size()));
  out.more_follows = begins_object(at(), behind, width);
  if (behind != 0 && !out.more_follows)
    return Error{ErrorCode::damaged,
                 "is neither as long as " + std::to_string(count) + " double values make it, nor as complex ones"};
  return out;
}

}  // namespace

bool begins_petsc(std::string_view head) { return head.starts_with(narrow_begin) || head.starts_with(wide_begin); }

Result<Matrix> read_petsc(MatrixInput& input, const ReadOptions& options) {
  ByteStream& stream = input.stream();
  SPRESS_TRY(const PetscHead head, read_head(stream, input.head()));
  MatrixHead what;
  what.rows = static_cast<std::uint64_t>(head.rows);
  what.cols = static_cast<std::uint64_t>(head.cols);
  std::vector<std::uint64_t> pointers;
  std::vector<std::uint32_t> columns;
  const bool is_dense = head.entries == dense;
  if (!is_dense) {
    SPRESS_TRY(pointers, read_pointers(stream, head));
    SPRESS_TRY(columns, read_columns(stream, head));
  }
  const std::uint64_t stored = is_dense ? what.rows * what.cols : static_cast<std::uint64_t>(head.entries);
  SPRESS_TRY(const Values values, read_values(stream, stored, head.width));
  what.field = values.field;
  std::vector<EntryBlock> blocks;
  if (is_dense) {
    auto entries = nonzeros_of(values.numbers.data(), what, what.field, false);
    what.entries = entries.entries();
    blocks = entries.take();
  } else {
    what.entries = stored;
    blocks = blocks_of_compressed(pointers, columns, values.numbers.data(), what.field, false);
  }
  SPRESS_TRY(Matrix matrix, matrix_of_entries(what, blocks, options.threads));
  if (values.more_follows) matrix.info.note = "read the first object; others behind it were not read";
  return matrix;
}

namespace {

/// Numbers in big-endian order, written in pieces.
class BigEndianWriter {
 public:
  explicit BigEndianWriter(OutputFile& file) : file_(file) {}
  template <class T>
  Status put(T number) {
    const T swapped = byte_swapped(number);
    const auto* bytes = reinterpret_cast<const char*>(&swapped);
    buffer_.insert(buffer_.end(), bytes, bytes + sizeof swapped);
    return buffer_.size() < most ? Status(Ok{}) : flush();
  }
  Status flush() {
    SPRESS_CHECK(file_.write(buffer_.data(), buffer_.size()));
    buffer_.clear();
    return Ok{};
  }

 private:
  static constexpr std::size_t most = std::size_t{1} << 20;
  OutputFile& file_;
  std::vector<char> buffer_;
};

Status write(const Csr<Viewed>& a, OutputFile& file) {
  BigEndianWriter out(file);
  const auto put_int = [&](std::uint64_t number) { return out.put(static_cast<std::int32_t>(number)); };
  for (const std::uint64_t number : {static_cast<std::uint64_t>(matrix_class), a.rows, a.cols, a.nnz})
    SPRESS_CHECK(put_int(number));
  for (std::uint64_t r = 0; r < a.rows; ++r) SPRESS_CHECK(put_int(a.row_ptr.position(r + 1) - a.row_ptr.position(r)));
  for (const std::uint32_t column : a.col_idx) SPRESS_CHECK(put_int(column));
  const std::uint64_t numbers = a.values.type == ValueType::c128 ? 2 * a.nnz : a.nnz;
  const auto* values = static_cast<const double*>(a.values.codes.raw());
  for (std::uint64_t k = 0; k < numbers; ++k) SPRESS_CHECK(out.put(values != nullptr ? values[k] : 1.0));
  return out.flush();
}

}  // namespace

Status write_petsc(const Csr<Viewed>& a, const MatrixInfo&, const std::filesystem::path& path) {
  if (a.nnz > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
    return Error{
        ErrorCode::too_large,
        std::to_string(a.nnz) + " entries do not fit the 32-bit integers of a PETSc file; write .npz or .spress",
        path.string(), 0};
  return write_plain(a, path, [&](const Csr<Viewed>& plain) -> Status {
    SPRESS_TRY(OutputFile file, OutputFile::create(path));
    SPRESS_CHECK(write(plain, file));
    return file.commit();
  });
}

}  // namespace spress::io
