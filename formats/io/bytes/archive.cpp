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

Error failure(ErrorCode code, std::string message) { return {code, std::move(message), {}, 0}; }

bool is_matrix(const fs::path& member) { return member.extension() == ".mtx"; }

bool named_like_its_folder(const fs::path& member) {
  return is_matrix(member) && member.has_parent_path() && member.stem() == member.parent_path().filename();
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

/// Errors: not_found where none is clearly the matrix.
Result<std::size_t> choose(const Members& members, const std::string& name) {
  const std::string file = name + ".mtx";
  const auto in_place = [&](const fs::path& path) { return path == file || path == fs::path(name) / file; };
  const auto named_so = [&](const fs::path& path) { return path.filename() == file; };
  if (const auto found = last_of(members, false, in_place)) return *found;
  if (const auto found = last_of(members, false, named_so)) return *found;
  if (const auto found = last_of(members, true, named_like_its_folder)) return *found;
  if (const auto found = last_of(members, true, is_matrix)) return *found;
  const bool boeing = std::any_of(members.begin(), members.end(), [](const auto& m) { return m.ends_with(".rb"); });
  if (boeing && std::none_of(members.begin(), members.end(), is_matrix))
    return failure(ErrorCode::unsupported,
                   "holds Rutherford-Boeing files; take the archive in Matrix Market form instead");
  return failure(ErrorCode::not_found,
                 "holds no member " + name + "/" + file +
                     ", and no other is clearly the matrix among: " + (members.empty() ? "no files" : listed(members)));
}

}  // namespace

bool is_archive(const InputFile& file) { return is_zip(file.head()) || is_archive(file.path()); }

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
    if (path.filename() == name_ + ".mtx" || (!file_->is_regular() && is_matrix(path))) return true;
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
      SPRESS_TRY(chosen_, choose(members_, name_));
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
    SPRESS_TRY(chosen_, choose(members_, name_));
  }
  SPRESS_CHECK(reader_->bytes_left());
  return *chosen_ == current_;
}

std::string ArchiveMatrix::note() const {
  Members others;
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (i != *chosen_ && is_matrix(members_[i]))
      others.push_back(members_[i] + (members_[i] == members_[*chosen_] ? " (an earlier member of this name)" : ""));
  if (others.empty()) return {};
  return "read " + members_[*chosen_] + "; not read: " + listed(others);
}

}  // namespace spress::io
