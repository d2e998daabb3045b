#include "pipeline/ranks/run_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "pipeline/collection/line_file.hpp"

namespace spress::pipeline {
namespace {

namespace fs = std::filesystem;

// Locks stand behind all bytes of the file: one for whoever changes it, and one that each rank holds while it works.
constexpr off_t change_lock = off_t{1} << 40, first_rank_lock = change_lock + 1;

struct flock bytes_to_lock(short kind, off_t at, off_t bytes) {
  struct flock wanted = {};
  wanted.l_type = kind;
  wanted.l_whence = SEEK_SET;
  wanted.l_start = at;
  wanted.l_len = bytes;
  return wanted;
}

/// Locks belong to the open file, not to the process: closing another handle does not release them.
bool lock(int handle, short kind, off_t at, int command) {
  struct flock wanted = bytes_to_lock(kind, at, 1);
  int done = -1;
  do done = ::fcntl(handle, command, &wanted);
  while (done != 0 && errno == EINTR);
  return done == 0;
}

/// Whether somebody else holds a lock among these; bytes: 0 for all from there on.
bool is_locked(int handle, off_t at, off_t bytes) {
  struct flock wanted = bytes_to_lock(F_WRLCK, at, bytes);
  return ::fcntl(handle, F_OFD_GETLK, &wanted) == 0 && wanted.l_type != F_UNLCK;
}

fs::path file_in(const fs::path& folder) { return folder / ".spress.ranks"; }

}  // namespace

/// Keeps all others from the file until it ends.
class RunFile::Held {
 public:
  explicit Held(RunFile& file) : file_(file), hold_(file.mutex_) {
    locked_ = lock(file.handle_, F_WRLCK, change_lock, F_OFD_SETLKW);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (locked_) lock(file_.handle_, F_UNLCK, change_lock, F_OFD_SETLK);
  }
  [[nodiscard]] Status check() const {
    if (locked_) return Ok{};
    return file_.failed("cannot be locked");
  }

 private:
  RunFile& file_;
  std::lock_guard<std::mutex> hold_;
  bool locked_;
};

RunFile::RunFile(RunFile&& other) noexcept
    : file_(std::move(other.file_)),
      place_(other.place_),
      handle_(std::exchange(other.handle_, -1)),
      created_(other.created_) {}

RunFile::~RunFile() {
  if (handle_ < 0) return;
  if (created_ && !others_at_work()) ::unlink(file_.c_str());
  ::close(handle_);
}

Error RunFile::failed(const char* what) const {
  return {ErrorCode::unwritable, std::string(what) + ": " + std::strerror(errno), file_.string(), 0};
}

Status RunFile::open_handle(int flags) {
  handle_ = ::open(file_.c_str(), O_RDWR | O_CLOEXEC | flags, 0666);
  if (handle_ < 0) return failed("cannot be written");
  return Ok{};
}

/// The lock of this rank, until it ends.
Status RunFile::take_lock() {
  if (lock(handle_, F_WRLCK, first_rank_lock + place_.rank, F_OFD_SETLK)) return Ok{};
  if (errno == EAGAIN || errno == EACCES) return in_use();
  return failed("cannot be locked, and without locks ranks cannot share a folder; choose another file system");
}

Error RunFile::in_use() const {
  return {ErrorCode::usage, "processes of another run are writing here; wait for them or choose another folder",
          file_.parent_path().string(), 0};
}

Status RunFile::check_ours() const {
  std::uint64_t begin = 0;
  const auto bytes = ::pread(handle_, &begin, sizeof begin, 0);
  if (bytes == 0 || (bytes == sizeof begin && begin == Head().magic)) return Ok{};
  return Error{ErrorCode::usage, "was not written by spress; nothing was changed: choose another folder",
               file_.string(), 0};
}

/// Writes the slot of this rank.
Status RunFile::begin() {
  const Slot own = {static_cast<std::uint64_t>(place_.node), 0, 0};
  return write(&own, sizeof own, place_of(place_.rank));
}

Result<RunFile> RunFile::create(const fs::path& folder, const RankPlace& place) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) return Error{ErrorCode::unwritable, "cannot be created: " + code.message(), folder.string(), 0};
  for (;;) {
    RunFile file(file_in(folder), place);
    SPRESS_CHECK(file.open_handle(O_CREAT));
    SPRESS_CHECK(file.take_lock());
    if (!is_named(file.handle_, file.file_)) continue;  // the leader before removed it in between
    if (is_locked(file.handle_, first_rank_lock, 0)) return file.in_use();
    SPRESS_CHECK(file.check_ours());
    const Head head;
    if (::ftruncate(file.handle_, 0) != 0) return file.failed("cannot be emptied");
    SPRESS_CHECK(file.write(&head, sizeof head, 0));
    SPRESS_CHECK(file.begin());
    file.created_ = true;
    return file;
  }
}

Result<RunFile> RunFile::open(const fs::path& folder, const RankPlace& place) {
  RunFile file(file_in(folder), place);
  SPRESS_CHECK(file.open_handle(0));
  SPRESS_CHECK(file.take_lock());
  SPRESS_CHECK(file.begin());
  return file;
}

void RunFile::remove_left(const fs::path& folder) {
  RunFile file(file_in(folder), {});
  if (!file.open_handle(0).ok() || !file.check_ours().ok() || is_locked(file.handle_, first_rank_lock, 0)) return;
  ::unlink(file.file_.c_str());
}

bool RunFile::is_in_use(const fs::path& folder) {
  const int handle = ::open(file_in(folder).c_str(), O_RDWR | O_CLOEXEC);
  if (handle < 0) return false;
  const bool in_use = is_locked(handle, first_rank_lock, 0);
  ::close(handle);
  return in_use;
}

std::uint64_t RunFile::place_of(int rank) const {
  return sizeof(Head) + static_cast<std::uint64_t>(rank) * sizeof(Slot);
}

Status RunFile::read(void* to, std::size_t bytes, std::uint64_t at) const {
  errno = 0;
  if (::pread(handle_, to, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes)) return Ok{};
  if (errno != 0) return failed("cannot be read");
  return Error{ErrorCode::unwritable, "was changed by somebody else while ranks shared it; run the command again",
               file_.string(), 0};
}

Status RunFile::write(const void* from, std::size_t bytes, std::uint64_t at) const {
  errno = 0;
  if (::pwrite(handle_, from, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes)) return Ok{};
  return failed("cannot be written");
}

Result<std::uint64_t> RunFile::draw() {
  const Held held(*this);
  SPRESS_CHECK(held.check());
  Head head;
  SPRESS_CHECK(read(&head, sizeof head, 0));
  const std::uint64_t place = head.drawn++;
  SPRESS_CHECK(write(&head, sizeof head, 0));
  return place;
}

Result<Tally> RunFile::add(const Tally& done) {
  const Held held(*this);
  SPRESS_CHECK(held.check());
  Head head;
  Slot own;
  SPRESS_CHECK(read(&head, sizeof head, 0));
  SPRESS_CHECK(read(&own, sizeof own, place_of(place_.rank)));
  head.tally += done;
  own.items += done.items();
  SPRESS_CHECK(write(&head, sizeof head, 0));
  SPRESS_CHECK(write(&own, sizeof own, place_of(place_.rank)));
  return head.tally;
}

Result<Tally> RunFile::tally() {
  const Held held(*this);
  SPRESS_CHECK(held.check());
  Head head;
  SPRESS_CHECK(read(&head, sizeof head, 0));
  return head.tally;
}

/// Requires: the file is held.
Result<std::vector<RunFile::Slot>> RunFile::slots() const {
  std::vector<Slot> all(static_cast<std::size_t>(place_.size));
  SPRESS_CHECK(read(all.data(), all.size() * sizeof(Slot), place_of(0)));
  return all;
}

Result<std::vector<std::uint64_t>> RunFile::items_of_ranks() {
  const Held held(*this);
  SPRESS_CHECK(held.check());
  SPRESS_TRY(const auto all, slots());
  std::vector<std::uint64_t> items;
  for (const Slot& slot : all) items.push_back(slot.items);
  return items;
}

Result<bool> RunFile::admit(std::uint64_t bytes, std::uint64_t limit) {
  const Held held(*this);
  SPRESS_CHECK(held.check());
  SPRESS_TRY(const auto all, slots());
  Slot own = all[static_cast<std::size_t>(place_.rank)];
  std::uint64_t used = own.memory;
  for (int rank = 0; rank < place_.size; ++rank) {
    const Slot& slot = all[static_cast<std::size_t>(rank)];
    const bool beside = rank != place_.rank && slot.node == own.node;
    if (beside && is_locked(handle_, first_rank_lock + rank, 1)) used += slot.memory;
  }
  if (used != 0 && (used > limit || bytes > limit - used)) return false;
  own.memory += bytes;
  SPRESS_CHECK(write(&own, sizeof own, place_of(place_.rank)));
  return true;
}

void RunFile::correct(std::uint64_t difference) {
  const Held held(*this);
  Slot own;
  if (!held.check().ok() || !read(&own, sizeof own, place_of(place_.rank)).ok()) return;
  own.memory += difference;
  static_cast<void>(write(&own, sizeof own, place_of(place_.rank)).ok());
}

Status RunFile::check_leader() const {
  if (is_leaders() || is_locked(handle_, first_rank_lock, 1)) return Ok{};
  return Error{ErrorCode::truncated, "the first of the processes ended early; the same command goes on from here"};
}

bool RunFile::others_at_work() const {
  for (int rank = 0; rank < place_.size; ++rank)
    if (rank != place_.rank && is_locked(handle_, first_rank_lock + rank, 1)) return true;
  return false;
}

}  // namespace spress::pipeline
