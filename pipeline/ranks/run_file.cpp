#include "pipeline/ranks/run_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace spress::pipeline {
namespace {

namespace fs = std::filesystem;

// Locks stand behind all bytes of the file: one for whoever changes it, and one that each rank holds while it works.
constexpr off_t change_lock = off_t{1} << 40, first_rank_lock = change_lock + 1;

/// Of the open file, not of the process: closing another handle does not release it.
bool lock(int handle, short kind, off_t at, off_t bytes, int command) {
  struct flock wanted = {};
  wanted.l_type = kind;
  wanted.l_whence = SEEK_SET;
  wanted.l_start = at;
  wanted.l_len = bytes;
  int done = -1;
  do done = ::fcntl(handle, command, &wanted);
  while (done != 0 && errno == EINTR);
  return done == 0;
}

/// Whether somebody else holds a lock among these.
bool is_locked(int handle, off_t at, off_t bytes) {
  struct flock wanted = {};
  wanted.l_type = F_WRLCK;
  wanted.l_whence = SEEK_SET;
  wanted.l_start = at;
  wanted.l_len = bytes;
  return ::fcntl(handle, F_OFD_GETLK, &wanted) == 0 && wanted.l_type != F_UNLCK;
}

fs::path file_in(const fs::path& folder) { return folder / ".spress.ranks"; }

}  // namespace

/// Keeps all others from the file until it ends.
class RunFile::Held {
 public:
  explicit Held(RunFile& file) : file_(file), hold_(file.mutex_) {
    locked_ = lock(file.handle_, F_WRLCK, change_lock, 1, F_OFD_SETLKW);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (locked_) lock(file_.handle_, F_UNLCK, change_lock, 1, F_OFD_SETLK);
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

RunFile::RunFile(fs::path file, const Ranks& ranks)
    : file_(std::move(file)),
      rank_(ranks.rank()),
      size_(ranks.size()),
      node_(ranks.node()),
      node_size_(ranks.node_size()) {}

RunFile::RunFile(RunFile&& other) noexcept
    : file_(std::move(other.file_)),
      rank_(other.rank_),
      size_(other.size_),
      node_(other.node_),
      node_size_(other.node_size_),
      handle_(std::exchange(other.handle_, -1)) {}

RunFile::~RunFile() {
  if (handle_ < 0) return;
  if (rank_ == 0 && !others_at_work()) ::unlink(file_.c_str());
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

/// Takes the lock of this rank and writes its slot.
Status RunFile::begin() {
  if (!lock(handle_, F_WRLCK, first_rank_lock + rank_, 1, F_OFD_SETLK))
    return failed("cannot be locked, so that ranks could not draw from a queue here");
  const Slot own = {static_cast<std::uint64_t>(node_), 0, 0};
  return write(&own, sizeof own, place_of(rank_));
}

Result<RunFile> RunFile::create(const fs::path& folder, const Ranks& ranks) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) return Error{ErrorCode::unwritable, "cannot be created: " + code.message(), folder.string(), 0};
  RunFile file(file_in(folder), ranks);
  SPRESS_CHECK(file.open_handle(O_CREAT));
  if (is_locked(file.handle_, first_rank_lock, 0))
    return Error{ErrorCode::usage, "another run is writing here; wait for it or choose another folder", folder.string(),
                 0};
  const Head head;
  if (::ftruncate(file.handle_, 0) != 0) return file.failed("cannot be emptied");
  SPRESS_CHECK(file.write(&head, sizeof head, 0));
  SPRESS_CHECK(file.begin());
  return file;
}

Result<RunFile> RunFile::open(const fs::path& folder, const Ranks& ranks) {
  RunFile file(file_in(folder), ranks);
  SPRESS_CHECK(file.open_handle(0));
  SPRESS_CHECK(file.begin());
  return file;
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
  return failed("cannot be read");
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
  SPRESS_CHECK(read(&own, sizeof own, place_of(rank_)));
  head.tally += done;
  own.items += done.items();
  SPRESS_CHECK(write(&head, sizeof head, 0));
  SPRESS_CHECK(write(&own, sizeof own, place_of(rank_)));
  return head.tally;
}

Result<Tally> RunFile::tally() { return add({}); }

Result<std::vector<std::uint64_t>> RunFile::items_of_ranks() {
  const Held held(*this);
  SPRESS_CHECK(held.check());
  std::vector<std::uint64_t> items;
  for (int rank = 0; rank < size_; ++rank) {
    Slot slot;
    SPRESS_CHECK(read(&slot, sizeof slot, place_of(rank)));
    items.push_back(slot.items);
  }
  return items;
}

Result<bool> RunFile::admit(std::uint64_t bytes, std::uint64_t limit) {
  const Held held(*this);
  SPRESS_CHECK(held.check());
  std::uint64_t used = 0;
  Slot own;
  for (int rank = 0; rank < size_; ++rank) {
    Slot slot;
    SPRESS_CHECK(read(&slot, sizeof slot, place_of(rank)));
    if (rank == rank_) own = slot;
    const bool here = slot.node == static_cast<std::uint64_t>(node_);
    if (here && (rank == rank_ || is_locked(handle_, first_rank_lock + rank, 1))) used += slot.memory;
  }
  if (used != 0 && (used > limit || bytes > limit - used)) return false;
  own.memory += bytes;
  SPRESS_CHECK(write(&own, sizeof own, place_of(rank_)));
  return true;
}

void RunFile::correct(std::uint64_t difference) {
  const Held held(*this);
  Slot own;
  if (!held.check().ok() || !read(&own, sizeof own, place_of(rank_)).ok()) return;
  own.memory += difference;
  static_cast<void>(write(&own, sizeof own, place_of(rank_)).ok());
}

bool RunFile::others_at_work() const {
  for (int rank = 0; rank < size_; ++rank)
    if (rank != rank_ && is_locked(handle_, first_rank_lock + rank, 1)) return true;
  return false;
}

}  // namespace spress::pipeline
