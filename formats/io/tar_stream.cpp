#include "formats/io/tar_stream.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <vector>

namespace spress::io {
namespace {

class TarReader {
 public:
  explicit TarReader(std::unique_ptr<ByteStream> bytes) : bytes_(std::move(bytes)), buffer_(std::size_t{128} << 10) {}
  TarReader(const TarReader&) = delete;
  TarReader& operator=(const TarReader&) = delete;
  ~TarReader() { archive_read_free(archive_); }

  Status open() {
    if (archive_ == nullptr) throw std::bad_alloc();
    archive_read_support_format_tar(archive_);
    if (archive_read_open(archive_, this, nullptr, &TarReader::supply, nullptr) != ARCHIVE_OK) return failure();
    return Ok{};
  }

  /// Goes to the next regular file and gives its path; nothing at the end.
  Result<std::optional<std::string>> next_file() {
    for (;;) {
      archive_entry* entry = nullptr;
      const int status = archive_read_next_header(archive_, &entry);
      if (status == ARCHIVE_EOF) return std::optional<std::string>();
      if (status < ARCHIVE_WARN) return failure();
      const char* path = archive_entry_pathname(entry);
      if (archive_entry_filetype(entry) == AE_IFREG && path != nullptr) return std::optional<std::string>(path);
    }
  }

  Result<std::size_t> read(char* to, std::size_t n) {
    std::size_t done = 0;
    while (done < n) {
      const la_ssize_t got = archive_read_data(archive_, to + done, n - done);
      if (got < 0) return failure();
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  /// Reads what lies behind the member, so that the checksum of the compressed archive is verified.
  Status finish() {
    for (bool more = true; more;) {
      SPRESS_TRY(const auto file, next_file());
      more = file.has_value();
    }
    return drain(*bytes_);
  }

 private:
  static la_ssize_t supply(archive* handle, void* self_pointer, const void** data) {
    auto& self = *static_cast<TarReader*>(self_pointer);
    auto got = self.bytes_->read(self.buffer_.data(), self.buffer_.size());
    if (!got.ok()) {
      archive_set_error(handle, EIO, "%s", got.error().message.c_str());
      self.supply_error_ = std::move(got).error();
      return -1;
    }
    *data = self.buffer_.data();
    return static_cast<la_ssize_t>(*got);
  }

  Error failure() {
    if (supply_error_) return *supply_error_;
    const char* text = archive_error_string(archive_);
    const std::string reason = text != nullptr ? text : "unknown error";
    const bool cut = reason.find("runcated") != std::string::npos;
    return {cut ? ErrorCode::truncated : ErrorCode::damaged, "the tar archive is damaged (" + reason + ")", {}, 0};
  }

  std::unique_ptr<ByteStream> bytes_;
  std::vector<char> buffer_;
  archive* archive_ = archive_read_new();
  std::optional<Error> supply_error_;
};

class MemberStream final : public ByteStream {
 public:
  explicit MemberStream(std::unique_ptr<TarReader> tar) : tar_(std::move(tar)) {}
  Result<std::size_t> read(char* to, std::size_t n) override {
    if (finished_) return std::size_t{0};
    SPRESS_TRY(const std::size_t got, tar_->read(to, n));
    if (got < n) {
      finished_ = true;
      SPRESS_CHECK(tar_->finish());
    }
    return got;
  }

 private:
  std::unique_ptr<TarReader> tar_;
  bool finished_ = false;
};

bool named_like_its_folder(const std::filesystem::path& member) {
  return member.has_parent_path() && member.stem() == member.parent_path().filename();
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "no files" : text;
}

/// The member to read among all that the archive holds.
Result<std::string> choose(const std::vector<std::string>& members, const std::string& name) {
  std::vector<std::string> matrices, like_folder;
  for (const auto& member : members) {
    const std::filesystem::path path(member);
    if (path.extension() != ".mtx") continue;
    matrices.push_back(member);
    if (named_like_its_folder(path)) like_folder.push_back(member);
  }
  if (like_folder.size() == 1) return like_folder[0];
  if (matrices.size() == 1) return matrices[0];
  const bool boeing = std::any_of(members.begin(), members.end(), [](const auto& m) { return m.ends_with(".rb"); });
  if (matrices.empty() && boeing)
    return Error{
        ErrorCode::unsupported, "holds Rutherford-Boeing files; take the archive in Matrix Market form instead", {}, 0};
  return Error{
      ErrorCode::not_found,
      "holds no member " + name + "/" + name + ".mtx, and no other is clearly the matrix among: " + listed(members),
      {},
      0};
}

Result<std::unique_ptr<TarReader>> open_tar(const std::function<Result<std::unique_ptr<ByteStream>>()>& open) {
  SPRESS_TRY(auto bytes, open());
  auto tar = std::make_unique<TarReader>(std::move(bytes));
  SPRESS_CHECK(tar->open());
  return tar;
}

/// Goes to the first member for which wanted(path) holds; false if there is none.
template <class Wanted>
Result<bool> seek(TarReader& tar, Wanted&& wanted) {
  for (;;) {
    SPRESS_TRY(const auto file, tar.next_file());
    if (!file) return false;
    if (wanted(*file)) return true;
  }
}

}  // namespace

Result<std::unique_ptr<ByteStream>> open_main_member(const std::function<Result<std::unique_ptr<ByteStream>>()>& open,
                                                     const std::string& name) {
  SPRESS_TRY(auto tar, open_tar(open));
  std::vector<std::string> members;
  SPRESS_TRY(bool found, seek(*tar, [&](const std::string& member) {
               members.push_back(member);
               return std::filesystem::path(member).filename() == name + ".mtx";
             }));
  if (!found) {
    SPRESS_TRY(const std::string chosen, choose(members, name));
    SPRESS_TRY(tar, open_tar(open));
    SPRESS_TRY(found, seek(*tar, [&](const std::string& member) { return member == chosen; }));
    if (!found) return Error{ErrorCode::unreadable, "changed while it was read", {}, 0};
  }
  return std::unique_ptr<ByteStream>(std::make_unique<MemberStream>(std::move(tar)));
}

}  // namespace spress::io
