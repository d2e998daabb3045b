#include "pipeline/collection/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>
#include <utility>

#include "formats/io/bytes/output_file.hpp"
#include "formats/io/bytes/text_file.hpp"
#include "pipeline/collection/line_file.hpp"
#include "reports/json/json.hpp"

namespace spress::pipeline {

Journal::Journal(Journal&& other) noexcept
    : file_(std::move(other.file_)),
      handle_(std::exchange(other.handle_, -1)),
      lock_handle_(std::exchange(other.lock_handle_, -1)),
      records_(std::move(other.records_)) {}

Journal::~Journal() {
  if (handle_ >= 0) ::close(handle_);
  if (lock_handle_ >= 0) ::close(lock_handle_);
}

Error Journal::failed(const std::string& what) const {
  return {ErrorCode::unwritable, what + ": " + std::strerror(errno), file_.string(), 0};
}

Status Journal::lock() {
  const std::string name = (file_.parent_path() / ".spress.lock").string();
  lock_handle_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_handle_ < 0) return failed("cannot be written");
  if (::flock(lock_handle_, LOCK_EX | LOCK_NB) != 0)
    return Error{ErrorCode::usage, "another run is writing here; wait for it or choose another folder", file_.string(),
                 0};
  return Ok{};
}

Status Journal::open_file() {
  if (handle_ >= 0) ::close(handle_);
  handle_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (handle_ < 0) return failed("cannot be written");
  return Ok{};
}

Status Journal::read() {
  auto text = io::read_text(file_);
  if (!text.ok() && text.error().code == ErrorCode::not_found) return Ok{};
  if (!text.ok()) return std::move(text).error();
  const std::size_t whole = text->rfind('\n') + 1;  // 0 without any line end
  const bool torn = whole != text->size();          // by a run that was killed: its last line is computed again
  text->resize(whole);
  std::istringstream lines(std::move(text).value());
  auto earlier = reports::read_analyze_records(lines);
  if (!earlier.bad_lines.empty())
    return Error{ErrorCode::damaged,
                 "not a record of this version (" + earlier.bad_lines[0].error + "); --fresh starts over",
                 file_.string(), earlier.bad_lines[0].number};
  if (torn && ::truncate(file_.c_str(), static_cast<off_t>(whole)) != 0) return failed("cannot be repaired");
  records_ = std::move(earlier.records);
  return Ok{};
}

Status Journal::check_in_place() const {
  if (is_named(handle_, file_)) return Ok{};
  return Error{ErrorCode::unwritable, std::string(moved_message), file_.string(), 0};
}

Result<Journal> Journal::open(const std::filesystem::path& file, bool fresh) {
  Journal journal(file);
  SPRESS_CHECK(journal.lock());
  if (!fresh) SPRESS_CHECK(journal.read());
  SPRESS_CHECK(journal.open_file());
  if (fresh && ::ftruncate(journal.handle_, 0) != 0) return journal.failed("cannot be emptied");
  return journal;
}

Status Journal::rewrite(const std::vector<const reports::AnalyzeRecord*>& records) {
  SPRESS_TRY(auto out, io::OutputFile::create(file_));
  for (const auto* record : records) {
    const std::string line = reports::to_json_line(*record) + "\n";
    SPRESS_CHECK(out.write(line.data(), line.size()));
  }
  SPRESS_CHECK(out.commit());
  return open_file();
}

Status Journal::append(const reports::AnalyzeRecord& record) {
  const off_t end = ::lseek(handle_, 0, SEEK_END);
  if (write_all(handle_, reports::to_json_line(record) + "\n")) return check_in_place();
  Error error = failed("cannot be written");
  if (::ftruncate(handle_, end) != 0) error.message += "; its last line is torn, the next run will cut it off";
  return error;
}

}  // namespace spress::pipeline
