// The collection run: many matrices, one journal, resumable.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "pipeline/collection/analyze.hpp"
#include "pipeline/collection/jobs.hpp"
#include "pipeline/ranks/ranks.hpp"
#include "pipeline/source.hpp"
#include "reports/records/records.hpp"

namespace spress::pipeline {

struct CollectionOptions {
  AnalyzeOptions analyze;
  std::filesystem::path output;  ///< folder of results.jsonl; empty: no journal
  int jobs = 0;                  ///< matrices at a time; 0: as many as processors
  std::uint64_t memory = 0;      ///< bytes that matrices in work may take together; 0: three quarters of what is free
  bool fresh = false;            ///< forget an earlier journal
  Ranks* ranks = nullptr;        ///< the processes that share the work; null: this one alone
  std::function<void(const Progress&)> on_progress;              ///< one call at a time
  std::function<void(const std::string&)> on_note;               ///< about a reading; one call at a time
  std::function<void(const reports::AnalyzeRecord&)> on_record;  ///< one call at a time, resumed records included
};

struct CollectionResult {
  std::vector<reports::AnalyzeRecord> records;        ///< of this collection's matrices, in its order
  std::size_t resumed = 0;                            ///< taken from an earlier journal
  std::size_t failed = 0;                             ///< with `error`
  std::size_t others = 0;                             ///< records of other matrices that the journal held and keeps
  std::vector<std::uint64_t> matrices_per_rank = {};  ///< measured by each of several processes
};

/// Analyses every item. With an output folder, each finished record is appended to results.jsonl by one write and
/// flushed; a run that was killed loses only the matrices in work, and the same call goes on from there. A record is
/// taken from the journal if path, size, modification time and options are the same, and replaced otherwise.
/// Errors: unwritable; usage where another run holds the same journal, or the folder has somebody else's files under
/// the names of the results (pipeline/collection/result_folder.hpp): then nothing is changed.
///
/// Several ranks share the work through the folder: each draws items from a queue and writes a journal of its own, and
/// the leader, which calls this function, puts their records into results.jsonl at the end. If a rank is killed, the
/// others go on; what it left undone is an error of the code truncated, and the same call goes on from there, with as
/// many ranks as one likes. Requires: an output folder, then.
[[nodiscard]] Result<CollectionResult> run_collection(const std::vector<Item>& items, const CollectionOptions& options);

/// Works on the items that the leader sends. The other ranks call it. Errors: unwritable; truncated where the leader
/// ended early.
[[nodiscard]] Status follow_collection(const CollectionOptions& options);

/// The keys that records of the items, as they are now, have with these options.
[[nodiscard]] std::vector<reports::ResumeKey> keys_of(const std::vector<Item>& items, const CollectionOptions& options);

/// Bytes from "512M", "8G", "1.5GiB", "1000000"; suffixes are powers of 1024. Errors: usage.
[[nodiscard]] Result<std::uint64_t> parse_size(const std::string& text);

}  // namespace spress::pipeline
