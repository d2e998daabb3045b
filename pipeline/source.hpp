// Where matrices come from: files, containers, generators, folders of files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/matrix.hpp"
#include "formats/core/result.hpp"
#include "formats/gallery/problem.hpp"
#include "formats/io/matrix_file/matrix_file.hpp"
#include "formats/io/readers/read_options.hpp"

namespace spress::pipeline {

/// Reads `input`: "gen:NAME,key=value,...", a file of any kind (formats/io/readers/file_kinds.hpp; text also compressed
/// or in an archive) or a .spress container, which is decoded to its original order. Files may be pipes.
/// Errors: those of the readers.
[[nodiscard]] Result<Matrix> load(const std::string& input, const io::ReadOptions& options = {});

/// Whether an input is made by a generator ("gen:...") and not read.
[[nodiscard]] bool is_generated(std::string_view input);

/// Whether a regular .spress file stands there, whatever its name.
[[nodiscard]] bool is_container_file(const std::string& input);

/// The same for a file that has to be a container. Errors: also damaged where it is none.
[[nodiscard]] Result<Matrix> load_container(const std::string& input, int threads = 0);

/// Some rows of a container, in its original order.
struct LoadedRows {
  Matrix matrix;
  std::uint64_t bytes_read = 0, file_bytes = 0;  ///< 0 for a stream, which is read to its end
  bool seekable = false;                         ///< whether the file could be read in parts
};

/// The rows asked for, in that order, as a matrix of its own. Of a seekable file no more is read than holds them.
/// Errors: those of load_container; out_of_range where a row is not there.
[[nodiscard]] Result<LoadedRows> load_rows(const std::string& input, std::span<const io::RowSpan> rows,
                                           int threads = 0);

struct Shape {
  std::uint64_t rows = 0, cols = 0, nnz = 0;
};

/// What the head of a .spress file says. Errors: those of io::read_container_head.
[[nodiscard]] Result<Shape> read_shape(const std::string& input);

/// The linear system that a generated matrix comes from; nothing for files, and for generators that have none.
/// Errors: those of the generator.
[[nodiscard]] Result<std::optional<gallery::Problem>> load_problem(const std::string& input);

/// One matrix of a collection, not yet read.
struct Item {
  std::string input;          ///< as `load` takes it
  std::uint64_t size = 0;     ///< bytes of the file, 0 for a generated one
  std::int64_t mtime_ns = 0;  ///< modification time since 1970, 0 for a generated one
  std::string problem = {};   ///< why there is nothing to read here (a folder that cannot be listed), or empty
  std::string below = {};     ///< its path below the folder that was named; for a file that was named itself, its name
};

/// Items, and where each is written; no targets where nothing is.
struct FileList {
  std::vector<Item> items;
  std::vector<std::filesystem::path> targets;
};

/// What a walk over a folder picks up: everything that `load` reads; the same without containers; containers alone.
enum class Wanted : std::uint8_t { matrices, sources, containers };

/// All matrices under the paths: folders are walked recursively, in the order of names; a matrix named twice appears
/// once; a folder that cannot be listed becomes an item with a problem; a link to nothing that is named as a matrix, an
/// item that cannot be read. on_note: told for each folder what files were passed over there.
/// Errors: not_found for a path that does not exist; usage where nothing is found.
[[nodiscard]] Result<std::vector<Item>> collect(const std::vector<std::string>& paths, Wanted wanted = Wanted::matrices,
                                                const std::function<void(const std::string&)>& on_note = {});

/// Checks the generators named among the inputs: for runs that end at the first input that fails, before any work.
/// Errors: usage for a generator or a parameter that does not exist, and for what is no number.
[[nodiscard]] Status check_generated(const std::vector<std::string>& inputs);

/// The name a record carries for an input that could not be read.
[[nodiscard]] std::string name_of_input(const std::string& input);

/// A rough upper bound of the memory that analysing an item takes, from its size alone; the largest number for a
/// generated matrix and for a pipe, whose size is not known before it is there.
[[nodiscard]] std::uint64_t expected_memory(const Item& item);

}  // namespace spress::pipeline
