// A file of container version 2 read block by block, by several threads, for whoever takes the rows as they come.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "formats/core/result.hpp"
#include "formats/io/bytes/input_file.hpp"
#include "formats/values/values.hpp"

namespace spress::io {

class MatrixFileStream {
 public:
  /// A block of rows.
  struct Block {
    std::uint64_t first_row = 0, rows = 0, first_entry = 0, entries = 0;
    bool operator==(const Block&) const = default;
  };

  /// A thread's way through the file.
  class Reader {
   public:
    /// The stream must outlive the reader.
    explicit Reader(const MatrixFileStream& stream);
    Reader(Reader&&) noexcept;
    ~Reader();

    /// Reads the bytes of a block. Errors: those of InputFile::read_at; truncated.
    [[nodiscard]] Status read(std::size_t block);
    /// Decodes the block that was read last. lengths: of its rows; columns, values: of its entries, ascending within a
    /// row; values of the stream's type, null where it has none. Errors: damaged. Throws std::bad_alloc.
    [[nodiscard]] Status decode(std::uint32_t* lengths, std::uint32_t* columns, std::uint8_t* values);

   private:
    struct State;
    std::unique_ptr<State> state_;
  };

  /// Reads all but the rows, which come in the order in which they are stored: the file's orders of rows and columns
  /// are not undone. Returns nothing where the blocks do not hold all entries of their rows (they hold one triangle),
  /// where the file is of version 1, or no regular file. Errors: those of read_container.
  [[nodiscard]] static Result<std::optional<MatrixFileStream>> open(const std::shared_ptr<InputFile>& file);
  MatrixFileStream(MatrixFileStream&&) noexcept;
  ~MatrixFileStream();

  [[nodiscard]] std::uint64_t rows() const;
  [[nodiscard]] std::uint64_t cols() const;
  [[nodiscard]] std::uint64_t nnz() const;
  [[nodiscard]] ValueType type() const;  ///< none, f64 or c128
  [[nodiscard]] const std::vector<Block>& blocks() const;

 private:
  struct State;
  explicit MatrixFileStream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace spress::io
