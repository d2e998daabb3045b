#include "reports/text/transfer_text.hpp"

#include <fmt/format.h>

#include "reports/text/text_table.hpp"
#include "reports/text/wording.hpp"

namespace spress::reports {
namespace {

/// Microseconds need more decimals.
std::string fine_milliseconds(double seconds) {
  return fixed(1e3 * seconds, seconds < 1e-3 ? 4 : seconds < 1e-1 ? 3 : 1);
}

std::string count(const std::optional<std::uint64_t>& number) { return number ? grouped(*number) : "-"; }

std::string head(const TransferRecord& record) {
  const MachineRecord& m = record.machine;
  return fmt::format(
      "{}: {} x {}, {} entries\nto {} (driver {}), {} GB/s from pinned memory, {} from pageable, {} staged\n",
      shown(record.path, 100), grouped(record.rows), grouped(record.cols), grouped(record.nnz), m.device,
      m.driver.value_or("unknown"), fixed(record.pinned_gb_per_s, 1), fixed(record.pageable_gb_per_s, 1),
      fixed(record.staged_gb_per_s, 1));
}

std::vector<std::string> cells(const TransferMeasure& row) {
  const bool sent = row.sent_bytes != 0 || row.ok.has_value();
  return {spec_of(row),
          row.values,
          row.type,
          row.memory,
          row.route,
          sent ? bytes_text(row.sent_bytes) : "-",
          fixed(row.byte_ratio, 3),
          fine_milliseconds(row.seconds_median),
          fixed(row.gb_per_s, 1),
          fixed(row.speedup_vs_csr, 3),
          fixed(row.speedup_vs_csr_arrays, 3),
          count(row.break_even_spmv),
          count(row.break_even_transfers),
          !row.ok   ? "-"
          : *row.ok ? "ok"
                    : "WRONG",
          row.reason};
}

std::string file_text(const FileTransferRecord& file) {
  TextTable table({{"way", Align::left},
                   {"file"},
                   {"sent"},
                   {"ms"},
                   {"read"},
                   {"decode"},
                   {"copy"},
                   {"GB/s"},
                   {"speedup"},
                   {"ok", Align::left},
                   {"", Align::left}});
  for (const FileTransferMeasure& row : file.ways)
    table.row({row.way + (row.in_pieces ? "" : ", not in pieces"), bytes_text(row.file_bytes),
               bytes_text(row.sent_bytes), fine_milliseconds(row.seconds_median), fine_milliseconds(row.read_seconds),
               fine_milliseconds(row.decode_seconds), fine_milliseconds(row.copy_seconds), fixed(row.gb_per_s, 2),
               fixed(row.speedup_vs_csr, 3),
               !row.ok   ? "-"
               : *row.ok ? "ok"
                         : "WRONG",
               row.reason});
  return fmt::format("\nfrom the file, {}\n", file.cold ? "cold" : "which the system has in memory") + table.str() +
         "csr: the same from a file of CSR's arrays; read, decode, copy: ms of a thread\n";
}

}  // namespace

std::string transfer_text(const TransferRecord& record) {
  if (record.error) return *record.error + "\n";
  TextTable table({{"format", Align::left},
                   {"values", Align::left},
                   {"type", Align::left},
                   {"memory", Align::left},
                   {"route", Align::left},
                   {"sent"},
                   {"CSR/bytes"},
                   {"ms"},
                   {"GB/s"},
                   {"speedup"},
                   {"vs 3 copies"},
                   {"SpMV"},
                   {"transfers"},
                   {"ok", Align::left},
                   {"", Align::left}});
  for (const TransferMeasure& row : record.formats) table.row(cells(row));
  return head(record) + table.str() +
         "SpMV, transfers: how many pay encoding back (-: never); speedup: over CSR sent in the same way; 3 copies: of "
         "CSR's "
         "arrays, each waited for\n" +
         (record.file ? file_text(*record.file) : "");
}

}  // namespace spress::reports
