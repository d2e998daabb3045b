#include "formats/io/bytes/archive.hpp"

#include <algorithm>
#include <filesystem>

#include "formats/io/bytes/listed.hpp"

namespace spress::io {
namespace {

namespace fs = std::filesystem;

using Members = std::vector<std::string>;

/// The bytes of the member that a reader stands at.
class MemberStream final : public ByteStream {
 public:
  explicit MemberStream(LibarchiveReader& reader) : reader_(reader) {}
  Result<std::size_t> read(char* to, std::size_t n) override { return reader_.read(to, n); }

 private:
  LibarchiveReader& reader_;
};

Error failure(ErrorCode code, std::string message) { return {code, std::move(message)}; }

bool is_matrix_market(const fs::path& member) { return member.extension() == ".mtx"; }

bool is_part(const fs::path& member, const WantedMember& wanted) {
  const fs::path part = fs::path(wanted.part).lexically_normal();
  return member.lexically_normal() == part || member.filename() == part ||
         (wanted.is_matrix(member) && member.stem() == part);
}

/// The last member for which wanted(path) holds; none where there is none, or where `one_path` and they differ.
template <class Wanted>
std::optional<std::size_t> last_of(const Members& members, bool one_path, Wanted&& wanted) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!wanted(fs::path(members[i]).lexically_normal())) continue;
    if (one_path && found && members[*found] != members[i]) return std::nullopt;
    found = i;
  }
  return found;
}

std::string listed_matrices(const Members& members, const WantedMember& wanted) {
  Members matrices;
  for (const std::string& member : members)
    if (wanted.is_matrix(member)) matrices.push_back(member);
  return matrices.empty() ? (members.empty() ? "no files" : listed(members)) : listed(matrices);
}

/// Errors: not_found where none is clearly the matrix.
Result<std::size_t> choose(const Members& members, const WantedMember& wanted) {
  if (!wanted.part.empty()) {
    const auto asked = last_of(members, false, [&](const fs::path& path) { return is_part(path, wanted); });
    if (asked) return *asked;
    const auto only = last_of(members, true, [&](const fs::path& path) { return wanted.is_matrix(path); });
    if (only && !is_matrix_market(members[*only])) return *only;  // which may have a part of this name
    return failure(ErrorCode::not_found,
                   "holds no member " + wanted.part + "; there are: " + listed_matrices(members, wanted));
  }
  const auto named_so = [&](const fs::path& path) { return path.stem() == wanted.name; };
  const auto in_place = [&](const fs::path& path) {
    return named_so(path) && (!path.has_parent_path() || path.parent_path() == wanted.name);
  };
  const auto like_its_folder = [](const fs::path& path) {
    return path.has_parent_path() && path.stem() == path.parent_path().filename();
  };
  /// The member that a rule finds among .mtx, else among all matrices.
  const auto found_by = [&](bool one_path, const auto& rule) {
    auto found = last_of(members, one_path, [&](const fs::path& path) { return is_matrix_market(path) && rule(path); });
    if (found) return found;
    return last_of(members, one_path, [&](const fs::path& path) { return wanted.is_matrix(path) && rule(path); });
  };
  if (const auto found = found_by(false, in_place)) return *found;
  if (const auto found = found_by(false, named_so)) return *found;
  if (const auto found = found_by(true, like_its_folder)) return *found;
  if (const auto found = found_by(true, [](const fs::path&) { return true; })) return *found;
  return failure(ErrorCode::not_found, "holds no member " + wanted.name + "/" + wanted.name +
                                           ".mtx, and no other is clearly the matrix among: " +
                                           (members.empty() ? "no files" : listed(members) + "; name one with --part"));
}

}  // namespace

bool is_archive(const InputFile& file) {
  if (is_npz(file.head())) return false;  // one matrix, whose arrays are the members
  return (is_zip(file.head()) && file.path().extension() != ".npz") || is_archive(file.path());
}

Status ArchiveMatrix::open_reader() {
  const bool again = reader_ != nullptr;
  if (again && !file_->is_regular())
    return failure(ErrorCode::unsupported,
                   "is an archive in a stream, and its first matrix is not the one that is meant; save it as a file");
  const std::string name = file_->path().filename().string();
  const auto compression = compression_of(file_->head());
  const Wrapping zip = file_->is_regular() ? Wrapping::zip : Wrapping::streamed_zip;
  const Wrapping wrapping = is_zip(file_->head()) ? zip : Wrapping::tar;
  if (wrapping == Wrapping::tar && is_zip_name(name))
    return failure(ErrorCode::damaged, "is named as a zip archive but does not begin like one");
  if (bytes_ != nullptr) {
    reader_ = std::make_unique<LibarchiveReader>(Wrapping::tar, std::move(bytes_));
  } else if (file_->is_regular() && compression == Compression::none) {
    reader_ = std::make_unique<LibarchiveReader>(wrapping, file_);
  } else {
    SPRESS_TRY(auto bytes, decompress(compression, file_stream(file_)));
    reader_ = std::make_unique<LibarchiveReader>(wrapping, std::move(bytes));
  }
  return reader_->open();
}

/// Goes to the first member that is called as the archive, in a stream, which has no second reading and may have no
/// name, to the first matrix; false where the end was reached.
Result<bool> ArchiveMatrix::find_likely() {
  members_.clear();
  for (;;) {
    SPRESS_TRY(const bool more, next_member());
    if (!more) return false;
    current_ = members_.size() - 1;
    const fs::path path = members_[current_];
    const bool likely =
        wanted_.part.empty() ? wanted_.is_matrix(path) && path.stem() == wanted_.name : is_part(path, wanted_);
    if (likely || (!file_->is_regular() && wanted_.part.empty() && wanted_.is_matrix(path))) return true;
  }
}

Result<bool> ArchiveMatrix::next_member() {
  SPRESS_TRY(const auto entry, reader_->next());
  if (!entry) return false;
  members_.push_back(entry->path);
  encrypted_ = entry->encrypted;
  return true;
}

Status ArchiveMatrix::go_to_chosen() {
  const Members before = std::move(members_);
  members_.clear();
  while (members_.size() <= *chosen_) {
    SPRESS_TRY(const bool more, next_member());
    if (!more || members_.back() != before[members_.size() - 1])
      return failure(ErrorCode::unreadable, "changed while it was read; read it again once it is complete");
  }
  current_ = *chosen_;
  members_ = before;
  return Ok{};
}

Result<std::unique_ptr<ByteStream>> ArchiveMatrix::open() {
  SPRESS_CHECK(open_reader());
  if (!chosen_) {
    SPRESS_TRY(const bool found, find_likely());
    if (!found) {
      SPRESS_TRY(chosen_, choose(members_, wanted_));
      SPRESS_CHECK(open_reader());
    }
  }
  if (chosen_) SPRESS_CHECK(go_to_chosen());
  if (encrypted_)
    return failure(ErrorCode::unsupported,
                   "member " + members_[current_] + " is encrypted; unpack the archive with its password first");
  return std::unique_ptr<ByteStream>(std::make_unique<MemberStream>(*reader_));
}

Result<bool> ArchiveMatrix::settle() {
  if (!chosen_) {
    for (bool more = true; more;) {
      SPRESS_TRY(more, next_member());
    }
    SPRESS_TRY(chosen_, choose(members_, wanted_));
  }
  SPRESS_CHECK(reader_->bytes_left());
  return *chosen_ == current_;
}

bool ArchiveMatrix::is_asked_for() const { return is_part(members_[current_], wanted_); }

std::string ArchiveMatrix::note() const {
  if (!wanted_.part.empty()) return {};
  Members others;
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (i != *chosen_ && wanted_.is_matrix(members_[i]))
      others.push_back(members_[i] + (members_[i] == members_[*chosen_] ? " (an earlier member of this name)" : ""));
  if (others.empty()) return {};
  return "read " + members_[*chosen_] + "; not read: " + listed(others);
}

}  // namespace spress::io
