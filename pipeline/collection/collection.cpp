#include "pipeline/collection/collection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <set>

#include "formats/core/memory.hpp"
#include "formats/json/text.hpp"
#include "pipeline/collection/journal.hpp"
#include "pipeline/collection/result_folder.hpp"
#include "pipeline/digest.hpp"
#include "pipeline/ranks/share.hpp"
#include "pipeline/stream/analyze_stream.hpp"
#include "reports/json/json.hpp"
#include "reports/text/wording.hpp"

namespace spress::pipeline {
namespace {

using namespace std::string_view_literals;
using reports::AnalyzeRecord;

/// Bytes that orderings and formats need for the rows alone, even of a matrix that is nearly empty.
std::uint64_t memory_for_rows(const Csr<Owned>& a) { return 48 * a.rows; }

/// The matrix, a reordered copy, and as much again for what the statistics need in passing.
std::uint64_t analysis_memory(const Csr<Owned>& a) { return 3 * byte_totals(a).total() + memory_for_rows(a); }

/// The input as text that no other input has. Bytes that are no UTF-8 cannot stand in a record, so such a path is spelt
/// in hexadecimal digits behind a NUL, which no path holds.
std::string key_path(const std::string& input) {
  if (json::valid_utf8(input) == input) return input;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string spelt(1, '\0');
  for (const char c : input) {
    const auto byte = static_cast<unsigned char>(c);
    spelt += digits[byte >> 4];
    spelt += digits[byte & 15];
  }
  return spelt;
}

reports::ResumeKey key_of(const Item& item, const std::string& options) {
  return {key_path(item.input), item.size, item.mtime_ns, options};
}

/// Whether a record is of this item. Version 0.1.0 wrote the options in full.
bool holds(const reports::ResumeKey& record, const reports::ResumeKey& item) {
  return record.path == item.path && record.size == item.size && record.mtime_ns == item.mtime_ns &&
         (record.options == digest_of(item.options) || record.options == item.options);
}

/// The size of the file a record is of. Generated matrices and pipes have none.
void add_file_size(AnalyzeRecord& record, const Item& item) {
  if (item.size != 0) record.matrix.file_bytes = item.size;
}

/// Analyses one item by its rows. only: there are no others. Errors: unwritable where there is no room for scratch
/// files, which the others need, too; of the only item also usage and unsupported: nothing can be done with it so.
Result<AnalyzeRecord> stream_item(const Item& item, bool only, const AnalyzeOptions& options, std::string& note) {
  auto record = analyze_stream(item.input, options, note);
  if (record.ok()) return record;
  const ErrorCode code = record.error().code;
  if (code == ErrorCode::unwritable || (only && (code == ErrorCode::usage || code == ErrorCode::unsupported)))
    return record;
  return error_record(item.input, record.error().text());
}

/// Reads and analyses one item; whatever goes wrong with it becomes a record. note: what a user has to know about the
/// reading. Errors: those of stream_item.
Result<AnalyzeRecord> work_on(const Item& item, bool only, const AnalyzeOptions& options, MemoryGate::Share& memory,
                              std::string& note) {
  if (!item.problem.empty()) return error_record(item.input, item.input + ": " + item.problem);
  try {
    if (options.stream) return stream_item(item, only, options, note);
    io::ReadOptions reading = options.reading;
    reading.threads = options.threads;
    auto matrix = load(item.input, reading);
    if (!matrix.ok()) return error_record(item.input, matrix.error().text());
    memory.correct(analysis_memory(matrix->csr));
    if (const Status fits = fits_memory(memory_for_rows(matrix->csr), "analysing so many rows"); !fits.ok())
      return error_record(item.input, item.input + ": " + fits.error().message);
    note = matrix->info.note;
    return analyze_matrix(*matrix, options);
  } catch (const std::bad_alloc&) {
    return error_record(item.input, item.input + ": not enough memory for this matrix");
  } catch (const std::exception& error) {
    return error_record(item.input, item.input + ": " + error.what());
  }
}

/// Most of a small matrix's record would be candidates that nobody takes: the best one stays, and the best one of each
/// ordering, which summaries compare.
AnalyzeRecord without_most_candidates(AnalyzeRecord record) {
  if (!record.choice) return record;
  auto& all = record.choice->candidates;
  std::set<std::string> orderings;
  record.choice->left_out +=
      std::erase_if(all, [&](const auto& candidate) { return !orderings.insert(candidate.ordering).second; });
  return record;
}

/// The state that the jobs of this process share: the records so far, the journal, the progress.
class Run {
 public:
  Run(const std::vector<Item>& items, const CollectionOptions& options)
      : items_(items), options_(options), records_(items.size()), progress_(items.size()) {}

  void resume(std::size_t i, AnalyzeRecord record) {
    ++resumed_.kept;
    resumed_.failed += record.error ? 1 : 0;
    add_file_size(record, items_[i]);  // records of earlier states lack it
    show(record, resumed_);
    records_[i] = std::move(record);
  }

  [[nodiscard]] std::vector<std::size_t> waiting() const {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (!records_[i]) places.push_back(i);
    return places;
  }

  /// Works on what waits, or on what it draws of it. journal: null for none.
  Status work(Journal* journal, RunFile* shared = nullptr) {
    journal_ = journal, shared_ = shared;
    std::vector<std::size_t> places = waiting();
    for (const std::size_t i : places) progress_.expect(items_[i]);
    const int ranks_here = options_.ranks == nullptr ? 1 : options_.ranks->place().node_size;
    JobOptions jobs = {options_.jobs, options_.analyze.threads, options_.memory, shared};
    jobs.ranks_here = ranks_here;
    if (options_.analyze.stream) jobs.memory_of_each = options_.analyze.stream->memory;
    SPRESS_CHECK(
        work_through(items_, std::move(places), jobs,
                     [&](std::size_t i, int threads, MemoryGate::Share& memory) { return work(i, threads, memory); }));
    if (journal != nullptr) SPRESS_CHECK(journal->check_in_place());
    return Ok{};
  }

  /// Waits for the other ranks.
  Status wait() {
    SPRESS_CHECK(wait_for_others(*shared_, [&](const Tally& tally) {
      if (options_.on_progress) options_.on_progress(progress_.progress(with_resumed(tally), {}));
    }));
    return Ok{};
  }

  /// A record that another rank has made.
  void take(std::size_t i, AnalyzeRecord record) {
    if (records_[i]) return;
    record.key = key_of(items_[i], digest_of(options_.analyze.text()));  // another rank may predict by other prices
    if (options_.on_record) options_.on_record(record);
    records_[i] = std::move(record);
  }

  [[nodiscard]] const std::vector<std::optional<AnalyzeRecord>>& records() const { return records_; }

  /// Requires: every item has its record.
  CollectionResult finish() {
    CollectionResult result;
    result.resumed = resumed_.kept;
    for (auto& record : records_) {
      result.failed += record->error ? 1 : 0;
      result.records.push_back(std::move(*record));
    }
    return result;
  }

 private:
  Status work(std::size_t i, int threads, MemoryGate::Share& memory) {
    AnalyzeOptions analyze = options_.analyze;
    analyze.threads = threads;
    std::string note;
    SPRESS_TRY(AnalyzeRecord record, work_on(items_[i], items_.size() == 1, analyze, memory, note));
    memory.correct(0);
    add_file_size(record, items_[i]);
    record.key = key_of(items_[i], digest_of(options_.analyze.text()));
    std::lock_guard hold(mutex_);
    if (!note.empty() && options_.on_note) options_.on_note(items_[i].input + ": " + note);
    // The leader prints what other ranks have made, so their journals hold all of it.
    if (journal_ != nullptr) SPRESS_CHECK(journal_->append(shared_ ? record : without_most_candidates(record)));
    Tally done;
    ++(record.error ? done.failed : done.done);
    done.worked = ProgressCount::weight(items_[i]);
    if (shared_ == nullptr) {
      tally_ += done;
    } else {
      SPRESS_TRY(tally_, shared_->add(done));
    }
    show(record, with_resumed(tally_));
    if (shared_ == nullptr || shared_->is_leaders()) records_[i] = std::move(record);
    return Ok{};
  }

  void show(const AnalyzeRecord& record, const Tally& tally) {
    if (options_.on_record) options_.on_record(record);
    if (options_.on_progress) options_.on_progress(progress_.progress(tally, record.matrix.name));
  }

  [[nodiscard]] Tally with_resumed(Tally tally) const {
    tally += resumed_;
    return tally;
  }

  const std::vector<Item>& items_;
  const CollectionOptions& options_;
  Journal* journal_ = nullptr;
  RunFile* shared_ = nullptr;
  std::vector<std::optional<AnalyzeRecord>> records_;
  Tally resumed_, tally_;
  ProgressCount progress_;
  std::mutex mutex_;  // guards what is done, the journal and the callbacks
};

/// Adds the remedy where records are damaged.
template <class T>
Result<T> or_start_over(Result<T> read) {
  if (!read.ok() && read.error().code == ErrorCode::damaged) read.error().message += "; --fresh starts over";
  return read;
}

/// Puts the records that ranks of a killed run left into the journal, or forgets them.
Status take_up_ranks(Journal& journal, const CollectionOptions& options) {
  for (const auto& file : journals_of_ranks(options.output)) {
    if (!options.fresh) {
      SPRESS_TRY(auto left, or_start_over(read_journal(file)));
      for (auto& record : left.records) {
        record = without_most_candidates(std::move(record));
        SPRESS_CHECK(journal.append(record));
        journal.records().push_back(std::move(record));
      }
    }
    std::error_code ignored;  // what stays is taken up again
    std::filesystem::remove(file, ignored);
  }
  return Ok{};
}

Result<Journal> open_journal(const CollectionOptions& options) {
  SPRESS_CHECK(make_result_folder(options.output));
  if (RunFile::is_in_use(options.output))  // whose leader, which held the journal, was killed
    return Error{ErrorCode::usage, "processes of another run are writing here; wait for them or choose another folder",
                 options.output.string(), 0};
  SPRESS_TRY(auto journal, or_start_over(Journal::open(options.output / journal_name, options.fresh)));
  SPRESS_CHECK(take_up_ranks(journal, options));
  RunFile::remove_left(options.output);
  return journal;
}

/// The places of items by the paths that records of them have.
std::map<std::string, std::size_t> places_by_path(const std::vector<Item>& items) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < items.size(); ++i) places[key_path(items[i].input)] = i;
  return places;
}

/// The places of the records of other matrices, and of those of the items for which holds_for(record, item) is true: of
/// each path the last one.
template <class HoldsFor>
std::vector<std::size_t> current_records(const std::vector<AnalyzeRecord>& records, const std::vector<Item>& items,
                                         const HoldsFor& holds_for) {
  const auto by_path = places_by_path(items);
  std::map<std::string, std::size_t> last;
  for (std::size_t k = 0; k < records.size(); ++k) {
    const auto found = by_path.find(records[k].key.path);
    if (found == by_path.end() || holds_for(records[k], found->second)) last[records[k].key.path] = k;
  }
  std::vector<std::size_t> places;
  for (const auto& [path, k] : last) places.push_back(k);
  std::sort(places.begin(), places.end());
  return places;
}

/// Counts the items without a current record that have one with other options.
std::size_t with_other_options(const std::vector<AnalyzeRecord>& records, const std::vector<std::size_t>& current,
                               const std::vector<Item>& items) {
  const auto by_path = places_by_path(items);
  std::set<std::string> paths;
  for (const auto& record : records)
    if (const auto found = by_path.find(record.key.path); found != by_path.end() && !record.error) {
      const Item& item = items[found->second];
      if (record.key.size == item.size && record.key.mtime_ns == item.mtime_ns) paths.insert(record.key.path);
    }
  for (const std::size_t k : current) paths.erase(records[k].key.path);
  return paths.size();
}

/// The records of a journal that a collection does not resume with.
struct Leftover {
  std::size_t others = 0;  ///< records of other matrices
  bool stale = false;      ///< whether there are records that hold no more; the file keeps them until drop_stale
};

/// Resumes with the records of the journal that still hold.
Leftover take_up(Journal& journal, const std::vector<Item>& items, const CollectionOptions& options, Run& run) {
  auto& records = journal.records();
  // A failure may have had reasons outside the file (permission, memory), so it is tried again.
  const auto current = current_records(records, items, [&](const AnalyzeRecord& record, std::size_t item) {
    return !record.error && holds(record.key, key_of(items[item], options.analyze.text()));
  });
  const std::size_t replaced = with_other_options(records, current, items);
  const auto by_path = places_by_path(items);
  Leftover out;
  out.stale = current.size() != records.size();
  for (const std::size_t k : current) {
    const auto found = by_path.find(records[k].key.path);
    if (found == by_path.end())
      ++out.others;
    else
      run.resume(found->second, std::move(records[k]));
  }
  if (replaced != 0 && options.on_note)
    options.on_note(fmt::format(
        "{}: {} made with other options {} replaced at the end of the run; choose another -o to keep both",
        options.output.string(), reports::counted(replaced, "record", "records"), replaced == 1 ? "is" : "are"));
  return out;
}

/// Drops the records that those of the run, which has come to its end, replace.
Status drop_stale(Journal& journal, const std::vector<Item>& items, const CollectionOptions& options, const Run& run) {
  SPRESS_TRY(const JournalText text, read_journal(options.output / journal_name));
  const auto current = current_records(text.records, items, [&](const AnalyzeRecord& record, std::size_t item) {
    const auto& made = run.records()[item];
    return made && holds(record.key, made->key);
  });
  std::vector<const AnalyzeRecord*> lines;
  for (const std::size_t k : current) lines.push_back(&text.records[k]);
  return journal.rewrite(lines);
}

/// Shares the work with the other ranks. Returns how many matrices each has measured.
/// Errors: also truncated where some are left undone.
Result<std::vector<std::uint64_t>> lead(const std::vector<Item>& items, const CollectionOptions& options,
                                        Journal& journal, Run& run) {
  const std::vector<std::size_t> waiting = run.waiting();
  SPRESS_TRY(auto files, share_files(*options.ranks, options.output, [&]() -> Result<FileList> {
               FileList list;
               for (const std::size_t i : waiting) list.items.push_back(items[i]);
               return list;
             }));
  SPRESS_TRY(Journal own, Journal::create(journal_of_rank(options.output, 0)));
  SPRESS_CHECK(run.work(&own, &*files->shared));
  SPRESS_CHECK(run.wait());
  const auto by_path = places_by_path(items);
  const auto journals = journals_of_ranks(options.output);
  for (const auto& file : journals) {
    SPRESS_TRY(auto text, read_journal(file));
    for (auto& record : text.records)
      if (const auto found = by_path.find(record.key.path); found != by_path.end())
        run.take(found->second, std::move(record));
  }
  std::uint64_t done = 0;
  for (const std::size_t i : waiting) {
    const auto& record = run.records()[i];
    if (!record) continue;
    SPRESS_CHECK(journal.append(without_most_candidates(*record)));
    ++done;
  }
  SPRESS_CHECK(journal.check_in_place());
  std::error_code ignored;  // what stays is taken up by the next run
  for (const auto& file : journals) std::filesystem::remove(file, ignored);
  SPRESS_CHECK(check_all_done(done, waiting.size()));
  return files->shared->items_of_ranks();
}

}  // namespace

Result<CollectionResult> run_collection(const std::vector<Item>& items, const CollectionOptions& options) {
  SPRESS_CHECK(check_options(options.analyze));
  Run run(items, options);
  if (options.output.empty()) {
    SPRESS_CHECK(run.work(nullptr));
    return run.finish();
  }
  SPRESS_TRY(Journal journal, open_journal(options));
  const Leftover left = take_up(journal, items, options, run);
  std::vector<std::uint64_t> matrices_per_rank;
  if (options.ranks != nullptr && options.ranks->several()) {
    SPRESS_TRY(matrices_per_rank, lead(items, options, journal, run));
  } else {
    SPRESS_CHECK(run.work(&journal));
  }
  if (left.stale) SPRESS_CHECK(drop_stale(journal, items, options, run));
  CollectionResult result = run.finish();
  result.others = left.others;
  result.matrices_per_rank = std::move(matrices_per_rank);
  return result;
}

Status follow_collection(const CollectionOptions& options) {
  Ranks& ranks = *options.ranks;
  SPRESS_TRY(auto files, share_files(ranks, options.output, {}));
  if (!files) return Ok{};
  SPRESS_TRY(Journal own, Journal::create(journal_of_rank(options.output, ranks.rank())));
  Run run(files->items, options);
  SPRESS_CHECK(run.work(&own, &*files->shared));
  return files->shared->check_leader();
}

std::vector<reports::ResumeKey> keys_of(const std::vector<Item>& items, const CollectionOptions& options) {
  const std::string digest = digest_of(options.analyze.text());
  std::vector<reports::ResumeKey> keys;
  for (const Item& item : items) keys.push_back(key_of(item, digest));
  return keys;
}

Result<std::uint64_t> parse_size(const std::string& text) {
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string suffix(end, text.data() + text.size());
  for (char& letter : suffix) letter = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  if (suffix.size() > 1 && suffix.back() == 'B') suffix.pop_back();
  if (suffix.size() > 1 && suffix.back() == 'I') suffix.pop_back();
  const std::string letters = "BKMGT";
  const auto power = suffix.empty() ? 0 : suffix.size() == 1 ? letters.find(suffix[0]) : std::string::npos;
  if (code != std::errc{} || power == std::string::npos || !(number > 0) || number > 1e18)
    return Error{ErrorCode::usage, "'" + text + "' is no size; write for example 512M, 8G or 1.5G"};
  for (std::size_t p = 0; p < power; ++p) number *= 1024;
  if (number < 1 || number > 1e18) return Error{ErrorCode::usage, "'" + text + "' is out of range"};
  return static_cast<std::uint64_t>(number);
}

}  // namespace spress::pipeline
