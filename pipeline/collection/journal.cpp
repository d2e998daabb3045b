#include "pipeline/collection/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <utility>

#include "formats/io/bytes/output_file.hpp"
#include "formats/io/bytes/text_file.hpp"
#include "pipeline/collection/line_file.hpp"
#include "reports/json/json.hpp"

namespace spress::pipeline {
namespace {

constexpr const char *rank_journal_begin = ".spress.rank-", *rank_journal_end = ".jsonl";

}  // namespace

Result<JournalText> read_journal(const std::filesystem::path& file) {
  SPRESS_TRY(std::string text, io::read_text(file));
  JournalText out;
  out.whole = text.rfind('\n') + 1;  // 0 without any line end
  out.torn = out.whole != text.size();
  text.resize(out.whole);
  std::istringstream lines(std::move(text));
  auto read = reports::read_analyze_records(lines);
  if (!read.bad_lines.empty())
    return Error{ErrorCode::damaged, "not a record of this version (" + read.bad_lines[0].error + ")", file.string(),
                 read.bad_lines[0].number};
  out.records = std::move(read.records);
  return out;
}

std::filesystem::path journal_of_rank(const std::filesystem::path& folder, int rank) {
  return folder / (std::string(rank_journal_begin) + std::to_string(rank) + rank_journal_end);
}

std::vector<std::filesystem::path> journals_of_ranks(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code unknown;
  for (const auto& entry : std::filesystem::directory_iterator(folder, unknown)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(rank_journal_begin) && name.ends_with(rank_journal_end)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

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
  const char* const remedy = errno == ENOSPC ? "; free some space, and the same command goes on from here" : "";
  return {ErrorCode::unwritable, what + ": " + std::strerror(errno) + remedy, file_.string(), 0};
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
  auto text = read_journal(file_);
  if (!text.ok() && text.error().code == ErrorCode::not_found) return Ok{};
  if (!text.ok()) return std::move(text).error();
  // The matrix of a torn line is measured again.
  if (text->torn && ::truncate(file_.c_str(), static_cast<off_t>(text->whole)) != 0)
    return failed("cannot be repaired");
  records_ = std::move(text->records);
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

Result<Journal> Journal::create(const std::filesystem::path& file) {
  Journal journal(file);
  SPRESS_CHECK(journal.open_file());
  if (::ftruncate(journal.handle_, 0) != 0) return journal.failed("cannot be emptied");
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
