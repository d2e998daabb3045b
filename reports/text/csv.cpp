#include "reports/text/csv.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <ostream>
#include <set>
#include <utility>

#include "formats/json/text.hpp"
#include "reports/json/json.hpp"
#include "reports/records/summary.hpp"

namespace spress::reports {
namespace {

/// What a row is made from; `o` is null where no ordering was applied (error records, not applicable).
struct RowSource {
  const AnalyzeRecord& record;
  const std::string& ordering;
  const OrderingRecord* entry;  ///< as recorded, whatever its status
  const OrderingRecord* o;      ///< the same if its status is ok
};

struct Column {
  std::string name;
  std::function<std::string(const RowSource&)> text;
};
using Columns = std::vector<Column>;

/// A spreadsheet takes a cell that begins with one of these for a formula; an apostrophe marks it as text.
std::string text_of(const std::string& text) {
  const bool formula = !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos;
  return (formula ? "'" : "") + json::valid_utf8(text);
}

std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(double value) { return std::isfinite(value) ? fmt::to_string(value) : ""; }
std::string text_of(std::uint64_t value) { return fmt::to_string(value); }
std::string text_of(int value) { return fmt::to_string(value); }

template <class T>
void add_matrix(Columns& columns, const std::string& name, T MatrixRecord::*member) {
  columns.push_back({name, [member](const RowSource& row) {
                       return row.record.error ? std::string() : text_of(row.record.matrix.*member);
                     }});
}

template <class T>
void add_ordering(Columns& columns, const std::string& name, T OrderingRecord::*member) {
  columns.push_back(
      {name, [member](const RowSource& row) { return row.o == nullptr ? std::string() : text_of(row.o->*member); }});
}

/// `get` tells a figure from what `look_up` finds for the row, if anything.
template <class LookUp, class Get>
void add_found(Columns& columns, const std::string& name, LookUp look_up, Get get) {
  columns.push_back({name, [look_up, get](const RowSource& row) {
                       const auto* found = row.o == nullptr ? nullptr : look_up(*row.o);
                       return found == nullptr ? std::string() : text_of(get(*found));
                     }});
}

void add_strategy(Columns& columns, const std::string& strategy) {
  const auto look_up = [strategy](const OrderingRecord& o) { return find(o.index_classes, strategy); };
  using C = IndexClassRecord;
  add_found(columns, strategy + ".bits", look_up, [](const C& c) { return c.matrix_bits; });
  add_found(columns, strategy + ".rows8", look_up, [](const C& c) { return c.rows.bits8; });
  add_found(columns, strategy + ".rows16", look_up, [](const C& c) { return c.rows.bits16; });
  add_found(columns, strategy + ".rows32", look_up, [](const C& c) { return c.rows.bits32; });
  add_found(columns, strategy + ".nnz8", look_up, [](const C& c) { return c.nnz.bits8; });
  add_found(columns, strategy + ".nnz16", look_up, [](const C& c) { return c.nnz.bits16; });
  add_found(columns, strategy + ".nnz32", look_up, [](const C& c) { return c.nnz.bits32; });
}

void add_format(Columns& columns, const std::string& format, const std::vector<std::string>& stores) {
  const auto look_up = [format](const OrderingRecord& o) -> const FootprintRecord* {
    const FootprintRecord* f = find(o.footprint, format);
    return f != nullptr && f->reason.empty() ? f : nullptr;
  };
  using F = FootprintRecord;
  add_found(columns, format + ".parameters", look_up, [](const F& f) { return f.parameters; });
  add_found(columns, format + ".model_index_bytes", look_up, [](const F& f) { return f.model_index_bytes; });
  add_found(columns, format + ".index_bytes", look_up, [](const F& f) { return f.index_bytes; });
  add_found(columns, format + ".total_bytes", look_up, [](const F& f) { return f.total_bytes; });
  add_found(columns, format + ".ratio_to_csr", look_up, [](const F& f) { return f.ratio_to_csr; });
  for (const std::string& store : stores) {
    const auto bytes = [look_up, store](const OrderingRecord& o) -> const std::uint64_t* {
      const FootprintRecord* f = look_up(o);
      const std::optional<std::uint64_t>* found = f == nullptr ? nullptr : find(f->values, store);
      return found != nullptr && found->has_value() ? &**found : nullptr;
    };
    add_found(columns, format + "." + store, bytes, [](std::uint64_t count) { return count; });
  }
}

void add_best(Columns& columns) {
  const auto add = [&](const std::string& name, auto member) {
    columns.push_back({name, [member](const RowSource& row) {
                         const BestRecord& best = row.record.best;
                         return best.format.empty() || row.record.error ? std::string() : text_of(best.*member);
                       }});
  };
  add("best.format", &BestRecord::format);
  add("best.ordering", &BestRecord::ordering);
  add("best.values", &BestRecord::values);
  add("best.total_bytes", &BestRecord::total_bytes);
  add("best.parameters", &BestRecord::parameters);
}

Columns matrix_columns() {
  Columns columns;
  columns.push_back({"name", [](const RowSource& row) { return text_of(row.record.matrix.name); }});
  columns.push_back({"path", [](const RowSource& row) { return text_of(row.record.matrix.path); }});
  add_matrix(columns, "rows", &MatrixRecord::rows);
  add_matrix(columns, "cols", &MatrixRecord::cols);
  add_matrix(columns, "nnz", &MatrixRecord::nnz);
  add_matrix(columns, "stored_entries", &MatrixRecord::stored_entries);
  add_matrix(columns, "field", &MatrixRecord::field);
  add_matrix(columns, "symmetry", &MatrixRecord::symmetry);
  add_matrix(columns, "pattern_symmetric", &MatrixRecord::pattern_symmetric);
  add_matrix(columns, "explicit_zeros", &MatrixRecord::explicit_zeros);
  add_matrix(columns, "duplicates", &MatrixRecord::duplicates);
  add_matrix(columns, "distinct_values", &MatrixRecord::distinct_values);
  add_matrix(columns, "empty_rows", &MatrixRecord::empty_rows);
  add_matrix(columns, "max_row_nnz", &MatrixRecord::max_row_nnz);
  return columns;
}

void add_ordering_columns(Columns& columns) {
  columns.push_back({"ordering", [](const RowSource& row) { return text_of(row.ordering); }});
  columns.push_back(
      {"status", [](const RowSource& row) { return text_of(row.entry == nullptr ? "error" : row.entry->status); }});
  columns.push_back({"reason", [](const RowSource& row) {
                       return row.entry == nullptr ? std::string() : text_of(row.entry->reason);
                     }});
  add_ordering(columns, "seconds", &OrderingRecord::seconds);
  add_ordering(columns, "bandwidth", &OrderingRecord::bandwidth);
  add_ordering(columns, "profile", &OrderingRecord::profile);
  add_ordering(columns, "max_wavefront", &OrderingRecord::max_wavefront);
  add_ordering(columns, "rms_wavefront", &OrderingRecord::rms_wavefront);
  const auto blocks = [](const OrderingRecord& o) { return &o.blocks_8x8; };
  add_found(columns, "blocks_8x8", blocks, [](const BlockRecord& b) { return b.count; });
  add_found(columns, "nnz_per_block", blocks, [](const BlockRecord& b) { return b.nnz_per_block; });
}

/// The value stores that occur in any footprint, in order of first appearance.
std::vector<std::string> value_stores(const std::vector<AnalyzeRecord>& records) {
  std::vector<std::string> stores;
  std::set<std::string> seen;
  for (const AnalyzeRecord& record : records) {
    for (const auto& [unused, o] : record.orderings) {
      for (const auto& [format, f] : o.footprint) {
        for (const auto& [store, bytes] : f.values) {
          if (seen.insert(store).second) stores.push_back(store);
        }
      }
    }
  }
  return stores;
}

Columns all_columns(const std::vector<AnalyzeRecord>& records) {
  const Names names = names_in(records);
  const std::vector<std::string> stores = value_stores(records);
  Columns columns = matrix_columns();
  add_ordering_columns(columns);
  for (const std::string& strategy : names.strategies) add_strategy(columns, strategy);
  for (const std::string& format : names.formats) add_format(columns, format, stores);
  add_best(columns);
  columns.push_back({"error", [](const RowSource& row) { return text_of(row.record.error.value_or("")); }});
  return columns;
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos && !text.starts_with('\'')) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void write_csv(std::ostream& out, const std::vector<AnalyzeRecord>& records) {
  const Columns columns = all_columns(records);
  const auto write_line = [&](auto field) {
    for (std::size_t c = 0; c < columns.size(); ++c) out << (c == 0 ? "" : ",") << csv_field(field(columns[c]));
    out << "\r\n";
  };
  write_line([](const Column& column) { return column.name; });
  for (const AnalyzeRecord& record : records) {
    const auto write_row = [&](const std::string& ordering, const OrderingRecord* entry) {
      const RowSource row{record, ordering, entry, entry != nullptr && entry->status == "ok" ? entry : nullptr};
      write_line([&](const Column& column) { return column.text(row); });
    };
    if (record.error) {
      write_row("", nullptr);
    } else {
      for (const auto& [ordering, entry] : record.orderings) write_row(ordering, &entry);
    }
  }
}

bool is_results_csv(std::string_view text) {
  // These columns have led the file since version 0.1.0: a new column goes behind them.
  return text.starts_with("name,path,rows,cols,nnz,stored_entries,field,symmetry,pattern_symmetric,");
}

}  // namespace spress::reports
