// Groups, datasets and attributes of an HDF5 file, as its readers need them. Everything here runs in a child process
// (child_process.hpp): the library keeps global state and trusts the files that it parses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/array.hpp"
#include "formats/core/result.hpp"
#include "formats/io/foreign/child_process.hpp"

namespace spress::io::hdf5 {

/// An identifier of the library, given back in the end.
class Handle {
 public:
  Handle() = default;
  explicit Handle(std::int64_t id) : id_(id) {}
  Handle(Handle&& other) noexcept;
  Handle& operator=(Handle&& other) noexcept;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle();
  [[nodiscard]] std::int64_t id() const { return id_; }
  [[nodiscard]] bool valid() const { return id_ >= 0; }

 private:
  std::int64_t id_ = -1;
};

/// What a dataset's elements are.
struct Element {
  enum class Kind : std::uint8_t { number, boolean, complex, other };
  Kind kind = Kind::other;
  DType type = DType::f64;  ///< as they are read; of each part of complex ones
  std::string other;        ///< "strings", "compounds": for messages
};

/// An array that was handed to the parent: where it lies in the output.
struct Placed {
  DType type = DType::f64;
  std::uint64_t offset = 0, count = 0;
};

/// Sets the library up for this process. Requires: called once, before all else.
void prepare();
/// Opens files without locks, and by a driver that takes a path of /proc (open_path) of a file without a name. It says
/// less of what fails than the usual driver.
[[nodiscard]] Handle file_access();
/// What the library says of the last failure, innermost first; "" where it says nothing.
[[nodiscard]] std::string last_failure();

class Object {
 public:
  /// The root of the file at `path`. Errors: damaged where the library cannot open it.
  [[nodiscard]] static Result<Object> open_file(const std::string& path, std::uint64_t file_bytes);

  /// The object at a path below this group. Errors: damaged where there is none.
  [[nodiscard]] Result<Object> open(const std::string& name) const;
  /// Whether there is one, not behind a link to another file.
  [[nodiscard]] bool has(const std::string& name) const;
  /// Names of what is in this group, at most `most`, in the library's order.
  [[nodiscard]] std::vector<std::string> names(std::size_t most) const;
  [[nodiscard]] bool is_group() const;
  [[nodiscard]] bool is_dataset() const;
  [[nodiscard]] const std::string& path() const { return path_; }  ///< "/" for the root

  /// An attribute that is one string; nothing where there is none.
  [[nodiscard]] std::optional<std::string> text(const std::string& attribute) const;
  /// An attribute of integers, at most 16; empty where there is none.
  [[nodiscard]] std::vector<std::uint64_t> integers(const std::string& attribute) const;
  [[nodiscard]] bool has_attribute(const std::string& name) const;

  /// Of a dataset.
  [[nodiscard]] Element element() const;
  [[nodiscard]] std::vector<std::uint64_t> dims() const;

  /// Hands a dataset's numbers to the parent, in the order of rows; of complex ones, real and imaginary parts in turn.
  /// Reads piece by piece, whatever size the file claims.
  /// Errors: damaged; unsupported (no numbers, an unknown filter, numbers in other files); too_large.
  [[nodiscard]] Result<Placed> copy_to(ChildOutput& output) const;

  /// The elements of a small dataset of integers or of text: at most 2^16. Errors: as copy_to.
  [[nodiscard]] Result<std::vector<std::uint64_t>> small_integers() const;

 private:
  Object(Handle handle, std::string path, std::uint64_t file_bytes)
      : handle_(std::move(handle)), path_(std::move(path)), file_bytes_(file_bytes) {}
  [[nodiscard]] Error error(ErrorCode code, std::string what) const;
  [[nodiscard]] Status check_storage(std::uint64_t claimed) const;
  [[nodiscard]] Status check_chunks() const;
  [[nodiscard]] std::uint64_t rows_of_chunk() const;

  Handle handle_;
  std::string path_;
  std::uint64_t file_bytes_ = 0;
};

}  // namespace spress::io::hdf5
