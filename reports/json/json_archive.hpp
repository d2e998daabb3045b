// How records become JSON and come back. Each record is described once, by a function
//
//   void describe(auto& a, Is<MyRecord> auto& r) {
//     a.field("name", r.name);
//     a.extra("joined_later", r.joined_later);
//   }
//
// in the namespace of the record, and two archives walk the description: JsonWriter writes the record as a JSON object,
// JsonReader fills the record from a JSON object. Both pass std::bad_alloc on.
#pragma once

#include <cmath>

#include "reports/json/json_reader.hpp"
#include "reports/json/json_writer.hpp"
#include "reports/records/records.hpp"

namespace spress::reports {

// --- Records that several documents hold ----------------------------------------------------------------------------

void describe(auto& a, Is<ToolRecord> auto& r) {
  a.field("version", r.version);
  a.field("commit", r.commit);
}

void describe(auto& a, Is<ClassCounts> auto& r) {
  a.field("8", r.bits8);
  a.field("16", r.bits16);
  a.field("32", r.bits32);
}

void describe(auto& a, Is<MachineRecord> auto& r) {
  a.field("machine", r.machine);
  a.unless_empty("processor", r.processor);
  a.field("device", r.device);
  a.field("driver", r.driver);
  a.field("compiler", r.compiler);
  a.field("commit", r.commit);
  a.field("command", r.command);
  a.field("threads", r.threads);
  a.field("instruction_set", r.instruction_set);
  a.field("copy_gb_per_s", r.copy_gb_per_s);
  a.where_known(r.last_level_cache_bytes != 0, "last_level_cache_bytes", r.last_level_cache_bytes);
}

void describe(auto& a, Is<PartRecord> auto& r) {
  a.field("rows", r.rows);
  a.field("nnz", r.nnz);
  a.field("ghosts", r.ghosts);
  a.field("sent_elements", r.sent_elements);
  a.field("neighbors", r.neighbors);
  a.field("bytes_read", r.bytes_read);
}

void describe(auto& a, Is<CandidateRecord> auto& r) {
  a.field("ordering", r.ordering);
  a.field("format", r.format);
  a.unless_empty("parameters", r.parameters);
  a.field("values", r.values);
  a.field("total_bytes", r.total_bytes);
  a.field("exact", r.exact);
  a.field("predicted_seconds", r.predicted_seconds);
  a.if_present(std::isfinite(r.transfer_seconds), "transfer_seconds", r.transfer_seconds);
}

void describe(auto& a, Is<ChoiceRecord> auto& r) {
  a.field("goal", r.goal);
  a.field("device", r.device);
  a.field("calibration", r.calibration);
  a.field("seconds", r.seconds);
  a.if_present(std::isfinite(r.csr_products), "csr_products", r.csr_products);
  a.reason("declined", r.declined);
  a.extra("exact_seconds", r.exact_seconds);
  a.unless_empty("not_considered", r.not_considered);
  a.unless_empty("notes", r.notes);
  a.if_present(r.behind_best.has_value(), "behind_best", r.behind_best);
  a.field("candidates", r.candidates);
  a.if_present(r.left_out != 0, "left_out", r.left_out);
}

void describe(auto& a, Is<GeneratorRecord> auto& r) {
  a.field("name", r.name);
  a.field("parameters", r.parameters);
}

/// What a measurement of one matrix says of it; of one that failed, only which it was.
void describe_shape(auto& a, auto& r, bool known = true) {
  a.field("name", r.name);
  a.field("path", r.path);
  if (!known) return;
  a.field("rows", r.rows);
  a.field("cols", r.cols);
  a.field("nnz", r.nnz);
  a.if_present(r.generator.has_value(), "generator", r.generator);
}

/// How long the work of a row took, and the speed that this is.
void describe_times(auto& a, auto& r) {
  a.field("seconds_median", r.seconds_median);
  a.field("seconds_min", r.seconds_min);
  a.field("seconds_max", r.seconds_max);
  a.where_known(r.repetitions != 0, "repetitions", r.repetitions);
  a.field("gb_per_s", r.gb_per_s);
  a.field("gflops", r.gflops);
  a.field("speedup_vs_csr", r.speedup_vs_csr);
}

/// What a row is about: the format, its values and their type.
void describe_subject(auto& a, auto& r) {
  a.field("format", r.format);
  a.field("parameters", r.parameters);
  a.field("values", r.values);
  a.field("type", r.type);
}

}  // namespace spress::reports
