// The rows of a file in order, panel by panel, in bounded memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"
#include "formats/csr/row_panel.hpp"
#include "formats/io/bytes/input_file.hpp"
#include "formats/io/readers/read_options.hpp"

namespace spress::io {

struct RowStreamOptions {
  std::uint64_t memory = std::uint64_t{256} << 20;  ///< bytes that reading takes at most about half of
  std::filesystem::path scratch = {};               ///< the folder of the scratch file; empty: the working folder
  std::uint64_t bytes_per_row = 0;                  ///< of `memory`, that the caller keeps for itself for each row
  std::uint64_t bytes_per_square_row = 0;           ///< the same, besides, where the matrix is square
  std::uint64_t kept = 0;                           ///< bytes that the caller has kept so, no part of `memory`
};

/// The most that the caller of open_rows keeps of --memory for the program itself; of less memory it keeps a fourth.
inline constexpr std::uint64_t most_for_program = std::uint64_t{32} << 20;
/// "--memory 3M": what leaves so many bytes for reading.
[[nodiscard]] std::string memory_option_for(std::uint64_t bytes);

/// The options with the memory that is left for reading a matrix of this shape. Errors: too_large where the caller's
/// share is more than three quarters of the memory.
[[nodiscard]] Result<RowStreamOptions> options_for_shape(std::uint64_t rows, std::uint64_t cols,
                                                         RowStreamOptions options);

class RowStream {
 public:
  virtual ~RowStream() = default;

  /// Facts that the file states. `duplicates` are those of the panels so far.
  [[nodiscard]] const MatrixInfo& info() const { return info_; }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::uint64_t cols() const { return cols_; }
  [[nodiscard]] ValueType type() const { return type_; }
  /// Entries after symmetric expansion, duplicates not yet merged: no fewer than the panels hold.
  [[nodiscard]] std::uint64_t most_entries() const { return most_entries_; }
  /// The upper triangle was made from the lower one, so the pattern is symmetric.
  [[nodiscard]] bool mirrored() const { return mirrored_; }

  /// The memory of the options without the caller's share for the rows.
  [[nodiscard]] std::uint64_t memory() const { return memory_; }

  /// Gives the next panel, which lives until the next call; false behind the last one. Every row is in one panel.
  /// Errors: those of reading; unreadable; too_large where eight rows are longer than the memory allows; also
  /// not_representable, as assemble_coordinate. Throws std::bad_alloc.
  [[nodiscard]] virtual Result<bool> next(RowPanel& panel) = 0;

  /// Lets the next panels be those from the row on, whatever came before. The first of them begins at any row at or
  /// before it, and may end before it. info().duplicates count from there on. Requires: row < rows().
  virtual void seek(std::uint64_t row) = 0;

 protected:
  MatrixInfo info_;
  std::uint64_t rows_ = 0, cols_ = 0, most_entries_ = 0, memory_ = 0;
  ValueType type_ = ValueType::none;
  bool mirrored_ = false;
};

/// Opens a file whose rows can be had in order: Matrix Market, plain, compressed or in an archive, in any order of
/// entries, which is sorted through a scratch file; and .spress files of container version 2, which are read block by
/// block where they hold all entries in the order of the rows, and sorted else.
/// The panels hold, bit for bit, what read_matrix and decoding give. Errors: those of read_matrix; unsupported for
/// other kinds of files, naming those that are read; unwritable where the scratch file cannot be written (a full disk).
[[nodiscard]] Result<std::unique_ptr<RowStream>> open_rows(const std::filesystem::path& path,
                                                           const ReadOptions& reading = {},
                                                           const RowStreamOptions& options = {});

}  // namespace spress::io
