// The one matrix that is meant in an archive (tar, compressed or not, and zip).
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/io/bytes/libarchive_reader.hpp"

namespace spress::io {

/// True where the file is an archive by its first bytes (zip) or by its name.
[[nodiscard]] bool is_archive(const InputFile& file);

/// Which member of an archive is wanted.
struct WantedMember {
  std::string name;                                        ///< NAME, that of the archive without its endings
  bool (*is_matrix)(const std::filesystem::path& member);  ///< by its ending
  std::string part = {};  ///< the path, file name or stem of the member, or a part within the only matrix
};

/// The matrix NAME of an archive is the member NAME.mtx or NAME/NAME.mtx, else another whose file is called NAME.mtx;
/// of several such members the last. Without one it is the only .mtx member in a folder of its own name, else the only
/// .mtx member. By each of these rules, members with other endings of matrices come after .mtx. The end of the archive
/// has to be seen before that is certain, so a member that looks right is read at once, and another one afterwards if
/// need be.
class ArchiveMatrix {
 public:
  /// bytes: those of the archive, decompressed, where they have been opened.
  ArchiveMatrix(std::shared_ptr<InputFile> file, WantedMember wanted, std::unique_ptr<ByteStream> bytes = nullptr)
      : file_(std::move(file)), wanted_(std::move(wanted)), bytes_(std::move(bytes)) {}

  /// The bytes of the member that is the matrix, as far as is known. They must not outlive this.
  /// Errors: not_found where no member is clearly the matrix; unsupported for an encrypted member, and for a stream
  /// that would have to be read again; those of reading.
  [[nodiscard]] Result<std::unique_ptr<ByteStream>> open();

  /// The path of the member that open() gave.
  [[nodiscard]] const std::string& member() const { return members_[current_]; }

  /// Whether the part that is wanted is that member, not something within it.
  [[nodiscard]] bool is_asked_for() const;

  /// Reads the archive to its end. False: another member is the matrix; open() gives it.
  /// Errors: those of reading; as open().
  [[nodiscard]] Result<bool> settle();

  /// Which other matrices the archive holds, or nothing. Requires: settle() gave true.
  [[nodiscard]] std::string note() const;

 private:
  [[nodiscard]] Status open_reader();
  [[nodiscard]] Result<bool> find_likely();
  [[nodiscard]] Result<bool> next_member();
  [[nodiscard]] Status go_to_chosen();

  std::shared_ptr<InputFile> file_;
  WantedMember wanted_;
  std::unique_ptr<ByteStream> bytes_;  ///< for the first reader
  std::unique_ptr<LibarchiveReader> reader_;
  std::vector<std::string> members_;   ///< seen so far
  std::size_t current_ = 0;            ///< the member that open() gave
  bool encrypted_ = false;             ///< the member seen last
  std::optional<std::size_t> chosen_;  ///< set when all members are known
};

}  // namespace spress::io
