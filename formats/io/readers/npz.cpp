#include "formats/io/readers/npz.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/core/checks.hpp"
#include "formats/io/bytes/libarchive_reader.hpp"
#include "formats/io/bytes/listed.hpp"
#include "formats/io/entries/assemble.hpp"
#include "formats/io/readers/npy.hpp"

namespace spress::io {
namespace {

constexpr std::string_view ending = ".npy";

Error error(ErrorCode code, std::string message) { return {code, std::move(message)}; }

/// A stream that somebody else owns.
class BorrowedStream final : public ByteStream {
 public:
  explicit BorrowedStream(ByteStream& stream) : stream_(stream) {}
  Result<std::size_t> read(char* to, std::size_t n) override { return stream_.read(to, n); }

 private:
  ByteStream& stream_;
};

/// The arrays of an archive, one after another.
class Members final : public ByteStream {
 public:
  explicit Members(MatrixInput& input)
      : reader_(input.plain() != nullptr
                    ? LibarchiveReader(Wrapping::zip, input.plain())
                    : LibarchiveReader(Wrapping::streamed_zip, std::make_unique<BorrowedStream>(input.stream()))) {}
  Status open() { return reader_.open(); }
  /// The name of the next array, without .npy; nothing at the end.
  Result<std::optional<std::string>> next() {
    for (;;) {
      SPRESS_TRY(const auto entry, reader_.next());
      if (!entry) return std::optional<std::string>();
      if (entry->encrypted) return error(ErrorCode::unsupported, "its member " + entry->path + " is encrypted");
      if (entry->path.ends_with(ending))
        return std::optional(entry->path.substr(0, entry->path.size() - ending.size()));
    }
  }
  Result<std::size_t> read(char* to, std::size_t n) override { return reader_.read(to, n); }
  /// Ends an array, so that its checksum is verified.
  Status finish() {
    char more = 0;
    SPRESS_TRY(const std::size_t left, reader_.read(&more, 1));
    if (left == 0) return Ok{};
    return error(ErrorCode::damaged, "has bytes behind its last element");
  }

 private:
  LibarchiveReader reader_;
};

/// What save_npz writes.
struct SparseArrays {
  std::string format;
  std::vector<std::int64_t> shape, pointers, offsets;
  std::vector<std::uint32_t> ids, rows, cols;
  std::optional<NpyValues> data;
  NpyHeader data_header;
};

Result<std::vector<std::int64_t>> integers_of(Members& members) {
  SPRESS_TRY(const NpyHeader header, read_npy_header(members));
  return read_npy_integers(members, header);
}
Result<std::vector<std::uint32_t>> ids_of(Members& members) {
  SPRESS_TRY(const NpyHeader header, read_npy_header(members));
  return read_npy_ids(members, header);
}

/// Takes the array of that name where a sparse matrix has one; others are passed over.
Status take_member(Members& members, const std::string& name, SparseArrays& out) {
  if (name == "format") {
    SPRESS_TRY(const NpyHeader header, read_npy_header(members));
    SPRESS_TRY(out.format, read_npy_text(members, header));
  } else if (name == "shape") {
    SPRESS_TRY(out.shape, integers_of(members));
  } else if (name == "indptr") {
    SPRESS_TRY(out.pointers, integers_of(members));
  } else if (name == "offsets") {
    SPRESS_TRY(out.offsets, integers_of(members));
  } else if (name == "indices") {
    SPRESS_TRY(out.ids, ids_of(members));
  } else if (name == "row") {
    SPRESS_TRY(out.rows, ids_of(members));
  } else if (name == "col") {
    SPRESS_TRY(out.cols, ids_of(members));
  } else if (name == "data") {
    SPRESS_TRY(out.data_header, read_npy_header(members));
    SPRESS_TRY(out.data, read_npy_values(members, out.data_header));
  } else {
    return Ok{};
  }
  return members.finish();
}

/// Prefixes the message with the array concerned.
Status named(Status status, const std::string& name) {
  const bool of_archive = !status.ok() && status.error().message.starts_with("the ");
  if (!status.ok() && !of_archive) status.error().message = "its array " + name + ' ' + status.error().message;
  return status;
}

Status check_ids(std::span<const std::uint32_t> ids, std::uint64_t side, const char* array) {
  const auto wrong = std::find_if(ids.begin(), ids.end(), [&](std::uint32_t id) { return id >= side; });
  if (wrong == ids.end()) return Ok{};
  return error(ErrorCode::out_of_range, "its array " + std::string(array) + " holds " + std::to_string(*wrong) +
                                            " where the shape allows 0 to " + std::to_string(side) + " - 1");
}

/// indptr, which has one number more than there are lines.
Result<std::vector<std::uint64_t>> checked_pointers(const std::vector<std::int64_t>& pointers, std::uint64_t lines,
                                                    std::uint64_t ids) {
  const bool right = pointers.size() == lines + 1 && pointers.front() == 0 &&
                     std::is_sorted(pointers.begin(), pointers.end()) &&
                     static_cast<std::uint64_t>(pointers.back()) <= ids;
  if (right) return std::vector<std::uint64_t>(pointers.begin(), pointers.end());
  return error(ErrorCode::damaged, "its array indptr has to hold " + std::to_string(lines + 1) +
                                       " numbers that begin with 0, never fall, and end with at most " +
                                       std::to_string(ids));
}

Error wrong_sizes(const std::string& format) {
  return error(ErrorCode::damaged, "its arrays have sizes that do not make a " + format + " matrix");
}

/// Makes the matrix. A pattern's data are left away.
class SparseBuilder {
 public:
  SparseBuilder(SparseArrays& arrays, int threads) : in_(arrays), threads_(threads) {}

  Result<Matrix> build() {
    if (in_.shape.size() != 2 || !in_.data)
      return error(ErrorCode::damaged, "holds no matrix of SciPy's: the arrays shape (2 numbers) and data are needed");
    if (in_.shape[0] < 0 || in_.shape[1] < 0) return error(ErrorCode::out_of_range, "has a negative shape");
    head_.rows = static_cast<std::uint64_t>(in_.shape[0]);
    head_.cols = static_cast<std::uint64_t>(in_.shape[1]);
    SPRESS_CHECK(checks::sides(head_.rows, head_.cols));
    head_.field = in_.data->field;
    if (in_.format == "csr") return build_compressed(false);
    if (in_.format == "csc") return build_compressed(true);
    if (in_.format == "coo") return build_coo();
    if (in_.format == "bsr") return build_bsr();
    if (in_.format == "dia") return build_dia();
    return error(ErrorCode::unsupported, "holds the format '" + in_.format + "'; csr, csc, coo, bsr and dia are read");
  }

 private:
  [[nodiscard]] const double* values() const {
    return head_.field == Field::pattern ? nullptr : in_.data->numbers.data();
  }
  [[nodiscard]] std::uint64_t value_count() const { return in_.data_header.count; }

  Result<Matrix> assemble(std::vector<EntryBlock> blocks) {
    SPRESS_TRY(Matrix matrix, matrix_of_entries(head_, blocks, threads_));
    if (in_.data->booleans && head_.field != Field::pattern) or_booleans(matrix);
    return matrix;
  }

  Result<Matrix> build_compressed(bool by_columns) {
    if (in_.ids.size() != value_count()) return wrong_sizes(in_.format);
    const std::uint64_t lines = by_columns ? head_.cols : head_.rows, across = by_columns ? head_.rows : head_.cols;
    SPRESS_TRY(const auto pointers, checked_pointers(in_.pointers, lines, in_.ids.size()));
    head_.entries = pointers.back();
    const auto ids = std::span(in_.ids).first(head_.entries);
    SPRESS_CHECK(check_ids(ids, across, "indices"));
    return assemble(blocks_of_compressed(pointers, ids, values(), head_.field, by_columns));
  }

  Result<Matrix> build_coo() {
    if (in_.rows.size() != value_count() || in_.cols.size() != value_count()) return wrong_sizes(in_.format);
    SPRESS_CHECK(check_ids(in_.rows, head_.rows, "row"));
    SPRESS_CHECK(check_ids(in_.cols, head_.cols, "col"));
    head_.entries = value_count();
    return assemble(blocks_of_arrays(in_.rows, in_.cols, values(), head_.field));
  }

  /// Blocks of r x c values, each row by row unless the array is stored by columns.
  Result<Matrix> build_bsr() {
    const auto& shape = in_.data_header.shape;
    if (shape.size() != 3 || shape[0] != in_.ids.size() || shape[1] == 0 || shape[2] == 0 ||
        head_.rows % shape[1] != 0 || head_.cols % shape[2] != 0)
      return wrong_sizes(in_.format);
    const std::uint64_t r = shape[1], c = shape[2];
    SPRESS_TRY(const auto pointers, checked_pointers(in_.pointers, head_.rows / r, in_.ids.size()));
    SPRESS_CHECK(check_ids(std::span(in_.ids).first(pointers.back()), head_.cols / c, "indices"));
    EntryCollector entries(head_.field);
    for (std::uint64_t line = 0; line + 1 < pointers.size(); ++line)
      for (std::uint64_t k = pointers[line]; k < pointers[line + 1]; ++k)
        for (std::uint64_t i = 0; i < r; ++i)
          for (std::uint64_t j = 0; j < c; ++j) add(entries, line * r + i, in_.ids[k] * c + j, place({k, i, j}));
    head_.entries = entries.entries();
    return assemble(entries.take());
  }

  /// Row d holds the diagonal with column - row = offsets[d], each value in its own column.
  Result<Matrix> build_dia() {
    const auto& shape = in_.data_header.shape;
    if (shape.size() != 2 || shape[0] != in_.offsets.size()) return wrong_sizes(in_.format);
    if (in_.data->booleans) head_.field = Field::pattern;  // the zeros are no entries
    EntryCollector entries(head_.field);
    const std::uint64_t parts = values_per_entry(in_.data->field == Field::pattern ? Field::real : in_.data->field);
    const auto rows = static_cast<std::int64_t>(head_.rows), cols = static_cast<std::int64_t>(head_.cols);
    for (std::uint64_t d = 0; d < shape[0]; ++d) {
      if (in_.offsets[d] < -rows || in_.offsets[d] > cols) continue;  // beside the matrix
      for (std::uint64_t col = 0; col < std::min(shape[1], head_.cols); ++col) {
        const std::int64_t row = static_cast<std::int64_t>(col) - in_.offsets[d];
        if (row < 0 || static_cast<std::uint64_t>(row) >= head_.rows) continue;
        const double* value = in_.data->numbers.data() + parts * place({d, col});
        if (value[0] != 0 || value[parts - 1] != 0) add(entries, static_cast<std::uint64_t>(row), col, place({d, col}));
      }
    }
    head_.entries = entries.entries();
    return assemble(entries.take());
  }

  /// The number of the element with these indices.
  [[nodiscard]] std::uint64_t place(std::initializer_list<std::uint64_t> indices) const {
    const auto& shape = in_.data_header.shape;
    const std::uint64_t* index = indices.begin();
    std::uint64_t at = 0;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      const std::size_t dimension = in_.data_header.by_columns ? shape.size() - 1 - k : k;
      at = at * shape[dimension] + index[dimension];
    }
    return at;
  }

  void add(EntryCollector& entries, std::uint64_t row, std::uint64_t col, std::uint64_t at) const {
    const std::uint64_t parts = head_.field == Field::complex ? 2 : 1;
    const double* value = in_.data->numbers.data() + parts * at;
    entries.add(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(col), value[0], value[parts - 1]);
  }

  SparseArrays& in_;
  int threads_;
  MatrixHead head_;
};

/// The array of two dimensions that is meant.
Result<std::string> choose_dense(MatrixInput& input, const std::string& part) {
  if (input.plain() == nullptr)
    return error(ErrorCode::unsupported, "holds no sparse matrix; arrays are read from a file that is not packed");
  Members members(input);
  SPRESS_CHECK(members.open());
  std::vector<std::string> all, wanted;
  for (;;) {
    SPRESS_TRY(const auto name, members.next());
    if (!name) break;
    SPRESS_TRY(const NpyHeader header, read_npy_header(members));
    all.push_back(*name);
    if (part.empty() ? header.shape.size() == 2 : *name == part) wanted.push_back(*name);
  }
  if (wanted.size() == 1) return wanted.front();
  if (!part.empty()) return error(ErrorCode::not_found, "holds no array " + part + "; there are: " + listed(all));
  return error(ErrorCode::usage,
               "holds no sparse matrix of SciPy's, and " +
                   (wanted.empty() ? std::string("no array of two dimensions")
                                   : "several arrays of two dimensions; name one as --part: " + listed(wanted)));
}

Result<Matrix> read_array(MatrixInput& input, const ReadOptions& options) {
  SPRESS_TRY(const std::string wanted, choose_dense(input, input.part()));
  Members members(input);
  SPRESS_CHECK(members.open());
  for (;;) {
    SPRESS_TRY(const auto name, members.next());
    if (!name) return error(ErrorCode::unreadable, "changed while it was read; read it again once it is complete");
    if (*name != wanted) continue;
    SPRESS_TRY(const NpyHeader header, read_npy_header(members));
    SPRESS_TRY(Matrix matrix, read_dense(members, header, options.threads));
    SPRESS_CHECK(members.finish());
    return matrix;
  }
}

}  // namespace

Result<Matrix> read_npz(MatrixInput& input, const ReadOptions& options) {
  if (!input.part().empty()) return read_array(input, options);
  SparseArrays arrays;
  std::optional<Error> unfit;
  {
    Members members(input);
    SPRESS_CHECK(members.open());
    for (;;) {
      SPRESS_TRY(const auto name, members.next());
      if (!name) break;
      Status taken = named(take_member(members, *name, arrays), *name);
      if (taken.ok()) continue;
      // An array that only shares a name with one of SciPy's is none of a matrix's; without `format` it is looked at
      // again.
      const bool fits_no_matrix =
          taken.error().code == ErrorCode::syntax || taken.error().code == ErrorCode::unsupported;
      if (!fits_no_matrix) return std::move(taken).error();
      if (!unfit) unfit = std::move(taken).error();
    }
  }
  if (arrays.format.empty()) return read_array(input, options);
  if (unfit) return std::move(*unfit);
  return SparseBuilder(arrays, options.threads).build();
}

}  // namespace spress::io
