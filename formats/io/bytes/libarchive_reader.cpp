#include "formats/io/bytes/libarchive_reader.hpp"

#include <archive_entry.h>
#include <locale.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <new>

namespace spress::io {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{128} << 10;

/// Each row: what it is called, and the functions of libarchive that read it; null where this build lacks them.
struct Support {
  const char* name;
  int (*format)(archive*);
  int (*filter)(archive*);
};

int no_filter(archive* /*handle*/) { return ARCHIVE_OK; }

#ifdef SPRESS_WITH_XZ
constexpr auto xz_filter = archive_read_support_filter_xz;
#else
constexpr int (*xz_filter)(archive*) = nullptr;
#endif
#ifdef SPRESS_WITH_BZIP2
constexpr auto bzip2_filter = archive_read_support_filter_bzip2;
#else
constexpr int (*bzip2_filter)(archive*) = nullptr;
#endif
#ifdef SPRESS_WITH_ZIP
constexpr auto zip_format = archive_read_support_format_zip_seekable;  // reads the directory at the end: no cut passes
constexpr auto streamed_zip_format = archive_read_support_format_zip_streamable;
#else
constexpr int (*zip_format)(archive*) = nullptr;
constexpr int (*streamed_zip_format)(archive*) = nullptr;
#endif

constexpr std::array<Support, 5> supports = {{{"tar archive", archive_read_support_format_tar, no_filter},
                                              {"zip archive", zip_format, no_filter},
                                              {"zip archive", streamed_zip_format, no_filter},
                                              {"xz data", archive_read_support_format_raw, xz_filter},
                                              {"bzip2 data", archive_read_support_format_raw, bzip2_filter}}};

const Support& support_of(Wrapping wrapping) { return supports[static_cast<std::size_t>(wrapping)]; }

/// Where libarchive lacks a library, it answers with a warning and would run a program instead.
bool enable(archive* handle, const Support& support) {
  return support.format != nullptr && support.filter != nullptr && support.format(handle) == ARCHIVE_OK &&
         support.filter(handle) == ARCHIVE_OK;
}

/// libarchive gives names in the thread's locale, and none where it cannot spell them: for its life that is UTF-8.
class Utf8Names {
 public:
  Utf8Names() : before_(utf8() != nullptr ? ::uselocale(utf8()) : nullptr) {}
  Utf8Names(const Utf8Names&) = delete;
  Utf8Names& operator=(const Utf8Names&) = delete;
  ~Utf8Names() {
    if (before_ != nullptr) ::uselocale(before_);
  }

 private:
  static locale_t utf8() {
    static const locale_t made = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return made;
  }
  locale_t before_;
};

std::string path_of(archive_entry* entry) {
  const char* path = archive_entry_pathname(entry);
  return path != nullptr ? path : "?";
}

}  // namespace

LibarchiveReader::LibarchiveReader(Wrapping wrapping, std::unique_ptr<ByteStream> bytes)
    : wrapping_(wrapping), bytes_(std::move(bytes)), buffer_(buffer_bytes), archive_(archive_read_new()) {}

LibarchiveReader::LibarchiveReader(Wrapping wrapping, std::shared_ptr<InputFile> file)
    : wrapping_(wrapping), file_(std::move(file)), buffer_(buffer_bytes), archive_(archive_read_new()) {}

LibarchiveReader::~LibarchiveReader() { archive_read_free(archive_); }

Status LibarchiveReader::open() {
  if (archive_ == nullptr) throw std::bad_alloc();
  const Support& support = support_of(wrapping_);
  if (!enable(archive_, support))
    return Error{ErrorCode::unsupported, std::string("this build reads no ") + support.name +
                                             " (its libarchive lacks the library for it); unpack the file first"};
  archive_read_set_callback_data(archive_, this);
  archive_read_set_read_callback(archive_, &LibarchiveReader::supply);
  if (file_ != nullptr) archive_read_set_seek_callback(archive_, &LibarchiveReader::seek);
  if (archive_read_open1(archive_) != ARCHIVE_OK) return failure();
  return Ok{};
}

Result<std::optional<LibarchiveReader::Entry>> LibarchiveReader::next() {
  if (error_) return *error_;
  const Utf8Names utf8_names;
  for (;;) {
    archive_entry* entry = nullptr;
    const int status = archive_read_next_header(archive_, &entry);
    if (error_) return *error_;
    if (status == ARCHIVE_EOF) return std::optional<Entry>();
    if (status < ARCHIVE_WARN) return failure();
    if (archive_entry_filetype(entry) == AE_IFREG)
      return std::optional<Entry>({path_of(entry), archive_entry_is_encrypted(entry) != 0});
  }
}

Result<std::size_t> LibarchiveReader::read(char* to, std::size_t n) {
  if (error_) return *error_;
  std::size_t done = 0;
  while (done < n) {
    const la_ssize_t got = archive_read_data(archive_, to + done, n - done);
    if (got < 0 || error_) return failure();
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

Result<std::uint64_t> LibarchiveReader::bytes_left() {
  if (error_) return *error_;
  if (bytes_ != nullptr)
    for (std::size_t got = buffer_.size(); got == buffer_.size(); supplied_ += got) {
      SPRESS_TRY(got, bytes_->read(buffer_.data(), buffer_.size()));
    }
  return supplied_ - static_cast<std::uint64_t>(archive_filter_bytes(archive_, -1));
}

la_ssize_t LibarchiveReader::supply(archive* /*handle*/, void* self_pointer, const void** data) {
  auto& self = *static_cast<LibarchiveReader*>(self_pointer);
  auto got = self.file_ != nullptr ? self.file_->read_at(self.supplied_, self.buffer_.data(), self.buffer_.size())
                                   : self.bytes_->read(self.buffer_.data(), self.buffer_.size());
  if (!got.ok()) return self.fail_supply(std::move(got).error());
  self.supplied_ += *got;
  *data = self.buffer_.data();
  return static_cast<la_ssize_t>(*got);
}

la_int64_t LibarchiveReader::seek(archive* /*handle*/, void* self_pointer, la_int64_t offset, int whence) {
  auto& self = *static_cast<LibarchiveReader*>(self_pointer);
  const auto size = static_cast<la_int64_t>(self.file_->size());
  const la_int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? static_cast<la_int64_t>(self.supplied_) : size;
  if (offset < -from || offset > size - from)
    return self.fail_supply(
        {ErrorCode::truncated, std::string("the ") + support_of(self.wrapping_).name + " ends too early"});
  self.supplied_ = static_cast<std::uint64_t>(from + offset);
  return from + offset;
}

la_ssize_t LibarchiveReader::fail_supply(Error error) {
  archive_set_error(archive_, EIO, "%s", error.message.c_str());
  if (!error_) error_ = std::move(error);
  return ARCHIVE_FATAL;
}

Error LibarchiveReader::failure() {
  if (error_) return *error_;
  const char* text = archive_error_string(archive_);
  const std::string reason = text != nullptr ? text : "unknown error";
  const bool cut = reason.find("runcated") != std::string::npos || reason.find("No progress") != std::string::npos;
  error_ = Error{
      cut ? ErrorCode::truncated : ErrorCode::damaged,
      std::string("the ") + support_of(wrapping_).name + (cut ? " ends too early (" : " is damaged (") + reason + ")"};
  return *error_;
}

}  // namespace spress::io
