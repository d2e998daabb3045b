#include "reports/html/page_data.hpp"

#include <cmath>
#include <optional>

#include "formats/json/text.hpp"
#include "reports/html/picture.hpp"
#include "reports/json/json.hpp"
#include "reports/records/order_bytes.hpp"
#include "reports/records/summary.hpp"

namespace spress::reports {
namespace {

using Json = json::Value;

/// Four digits are more than a page shows.
Json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == 0) return 0;
  const double scale = std::pow(10.0, 3 - std::floor(std::log10(std::abs(value))));
  return std::isfinite(scale) ? Json(std::round(value * scale) / scale) : Json(value);
}

Json classes_of(const OrderingRecord& o, const Summary& names) {
  Json list = Json::array();
  for (const std::string& strategy : names.strategies) {
    const IndexClassRecord* c = find(o.index_classes, strategy);
    list.push_back(c == nullptr ? Json(0) : Json{c->matrix_bits, c->rows.bits8, c->rows.bits16, c->rows.bits32});
  }
  return list;
}

/// [model_index_bytes, index_bytes, total_bytes, smallest value store, its bytes], 0 where the format does not apply.
Json sizes_of(const OrderingRecord& o, const Summary& names) {
  Json list = Json::array();
  for (const std::string& format : names.formats) {
    const FootprintRecord* f = find(o.footprint, format);
    if (f == nullptr || !f->reason.empty()) {
      list.push_back(0);
      continue;
    }
    const auto [store, least] = smallest_store(*f);
    list.push_back({f->model_index_bytes, f->index_bytes, f->total_bytes, store, least});
  }
  return list;
}

Json ordering_of(const AnalyzeRecord& record, const std::string& name, const Summary& names) {
  const OrderingRecord* entry = find(record.orderings, name);
  if (entry == nullptr) return 0;
  if (entry->status != "ok") return entry->reason.empty() ? entry->status : entry->reason;
  const OrderingRecord& o = *entry;
  const Picture picture = picture_of(o.spy);
  const std::optional<std::uint64_t> chosen = chosen_bytes(record, name);
  return {o.bandwidth,
          o.profile,
          o.max_wavefront,
          rounded(o.rms_wavefront),
          rounded(o.seconds),
          o.blocks_8x8.count,
          classes_of(o, names),
          sizes_of(o, names),
          picture.size,
          picture.text,
          chosen ? Json(*chosen) : Json(nullptr)};
}

/// [ordering, format, value store, bytes or null where they are not exact, whether a faster choice was declined]
Json taken_of(const AnalyzeRecord& record) {
  if (taken_ordering(record).empty()) return 0;
  const CandidateRecord& taken = record.choice->candidates.front();
  return {taken.ordering, spec_of(taken), taken.values, taken.exact ? Json(taken.total_bytes) : Json(nullptr),
          record.choice->declined.empty() ? 0 : 1};
}

Json matrix_of(const AnalyzeRecord& record, const Summary& names) {
  const MatrixRecord& m = record.matrix;
  Json orderings = Json::array();
  for (const std::string& name : names.orderings) orderings.push_back(ordering_of(record, name, names));
  const BestRecord& best = record.best;
  return {m.name,
          m.path,
          m.rows,
          m.cols,
          m.nnz,
          m.field,
          m.symmetry,
          m.pattern_symmetric ? 1 : 0,
          m.explicit_zeros,
          m.duplicates,
          m.distinct_values,
          m.empty_rows,
          m.max_row_nnz,
          Json{spec_of(best), best.ordering, best.values, best.total_bytes},
          orderings,
          taken_of(record),
          m.generator ? m.generator->name : ""};
}

/// "<" can only stand inside strings of a JSON document, where its escape means the same.
std::string without_less_than(const std::string& json) {
  std::string escaped;
  escaped.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      escaped += "\\u003c";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

template <class Record>
Json lines_of(const std::vector<Record>& records) {
  Json lines = Json::array();
  for (const Record& record : records) lines.push_back(Json::Verbatim{to_json_line(record)});
  return lines;
}

}  // namespace

std::string page_data(const std::vector<AnalyzeRecord>& records, std::string_view source, const Measurements& measured,
                      const PaperFormats& papers) {
  const Summary summary = summarize(records, papers);
  Json matrices = Json::array();
  for (const AnalyzeRecord& record : records) {
    if (!record.error) matrices.push_back(matrix_of(record, summary));
  }
  const Json data = {{"source", source},
                     {"summary", Json::Verbatim{summary_json(summary)}},
                     {"matrices", std::move(matrices)},
                     {"bench", lines_of(measured.bench)},
                     {"transfer", lines_of(measured.transfer)},
                     {"solve", lines_of(measured.solve)}};
  return without_less_than(data.dump());
}

}  // namespace spress::reports
