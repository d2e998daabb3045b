// The file of finished records: one JSON document per line, appended whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "formats/core/result.hpp"
#include "reports/records/records.hpp"

namespace spress::pipeline {

inline constexpr const char* journal_name = "results.jsonl";  ///< in the folder of results

/// The content of a journal.
struct JournalText {
  std::vector<reports::AnalyzeRecord> records;
  std::uint64_t whole = 0;  ///< bytes of the lines that have an end
  bool torn = false;        ///< whether a last line has none: the run was killed
};

/// Errors: those of io::read_text; damaged for a line that is no record.
[[nodiscard]] Result<JournalText> read_journal(const std::filesystem::path& file);

/// The journals that the ranks of a run write beside results.jsonl, until the leader has put their records there.
[[nodiscard]] std::filesystem::path journal_of_rank(const std::filesystem::path& folder, int rank);
/// Lists those of a run that goes on, or was killed.
[[nodiscard]] std::vector<std::filesystem::path> journals_of_ranks(const std::filesystem::path& folder);

/// Holds results.jsonl open and locked against other runs.
class Journal {
 public:
  /// Opens or creates the journal. Records of an earlier run are in `records()`, or, if `fresh`, forgotten once the
  /// lock is held; a torn last line is cut off. Errors: unwritable; damaged for a line in the middle that is no record;
  /// usage where another run holds it.
  [[nodiscard]] static Result<Journal> open(const std::filesystem::path& file, bool fresh = false);

  /// Creates the journal of one rank, without a lock: the folder's RunFile keeps others away. Errors: unwritable.
  [[nodiscard]] static Result<Journal> create(const std::filesystem::path& file);

  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;
  ~Journal();

  /// The caller may move records out of it.
  [[nodiscard]] std::vector<reports::AnalyzeRecord>& records() { return records_; }
  [[nodiscard]] const std::vector<reports::AnalyzeRecord>& records() const { return records_; }

  /// Replaces the whole content: the new file appears complete or not at all.
  [[nodiscard]] Status rewrite(const std::vector<const reports::AnalyzeRecord*>& records);

  /// Appends one record by a single write. Errors: unwritable, also where the file is no longer in its place.
  [[nodiscard]] Status append(const reports::AnalyzeRecord& record);

  /// Errors: unwritable where somebody deleted or replaced the file since it was opened.
  [[nodiscard]] Status check_in_place() const;

 private:
  explicit Journal(std::filesystem::path file) : file_(std::move(file)) {}
  [[nodiscard]] Error failed(const std::string& what) const;
  [[nodiscard]] Status lock();
  [[nodiscard]] Status open_file();
  [[nodiscard]] Status read();

  std::filesystem::path file_;
  int handle_ = -1;       // of the journal, for appending
  int lock_handle_ = -1;  // of the lock file beside it, which survives a rewrite
  std::vector<reports::AnalyzeRecord> records_;
};

}  // namespace spress::pipeline
