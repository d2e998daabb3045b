// Transfers over a wire whose clock moves by what it carries.
#include "pipeline/measure/transfer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "encode/shared/any.hpp"
#include "pipeline/source.hpp"
#include "tests/pipeline/measure/fake_wire.hpp"
#include "tests/scenarios.hpp"

namespace spress::pipeline {
namespace {

using reports::TransferMeasure;
using reports::TransferRecord;

TransferOptions options_with(FakeWire& wire, const std::string& formats) {
  TransferOptions options;
  options.formats = parse_spec_list(formats).value();
  options.pairing = {0, 3, [&wire] { return wire.clock; }};
  return options;
}

TransferRecord transfer_of(const std::string& input, FakeWire& wire, const TransferOptions& options) {
  auto matrix = load(input);
  EXPECT_TRUE(matrix.ok());
  auto record = transfer(*matrix, options, wire);
  EXPECT_TRUE(record.ok()) << record.error().text();
  return std::move(*record);
}

const TransferMeasure* find(const TransferRecord& record, const std::string& format, const std::string& route,
                            const std::string& memory = "pinned", const std::string& type = "double",
                            const std::string& values = "raw") {
  const auto& rows = record.formats;
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const TransferMeasure& row) {
    return row.format == format && row.route == route && row.memory == memory && row.type == type &&
           row.values == values;
  });
  return found == rows.end() ? nullptr : &*found;
}

double seconds_of(const TransferMeasure& row) {
  return static_cast<double>(row.copies) * latency + static_cast<double>(row.sent_bytes) / bytes_per_second;
}

TEST(Transfer, SendsEveryFormatInEveryWay) {
  FakeWire wire;
  auto options = options_with(wire, "csr,opt-csr,sell");
  options.choice = StoreChoice::listed;
  options.stores = {StoreKind::raw};
  const auto record = transfer_of("gen:stencil27,n=6,values=noise", wire, options);
  for (const char* format : {"csr", "opt-csr", "sell"})
    for (const char* route : {"separate", "queued", "packed", "expanded"})
      for (const char* memory : {"pinned", "pageable"})
        for (const char* type : {"double", "float"}) {
          const auto* row = find(record, format, route, memory, type);
          const bool expected = std::string(route) != "expanded" || std::string(format) == "opt-csr";
          ASSERT_EQ(row != nullptr, expected) << format << " " << route << " " << memory << " " << type;
          if (!expected) continue;
          EXPECT_EQ(row->ok, true);
          EXPECT_EQ(row->seconds_median, seconds_of(*row)) << format << " " << route;
          EXPECT_EQ(row->repetitions, 3);
        }
  EXPECT_EQ(record.formats.size(), 2u * 2 * (3 + 4 + 3));
  EXPECT_TRUE(record.ok);
}

TEST(Transfer, ComparesWithCsrSentLikewise) {
  FakeWire wire;
  const auto record = transfer_of("gen:stencil27,n=6,values=noise", wire, options_with(wire, "csr,opt-csr"));
  const auto *arrays = find(record, "csr", "separate"), *whole = find(record, "csr", "packed");
  ASSERT_TRUE(arrays && whole);
  EXPECT_EQ(arrays->copies, 3u);  // row pointers, columns, values
  EXPECT_EQ(whole->copies, 1u);
  EXPECT_EQ(arrays->sent_bytes, arrays->total_bytes);
  EXPECT_GE(whole->sent_bytes, whole->total_bytes);
  EXPECT_EQ(arrays->speedup_vs_csr, 1);
  EXPECT_DOUBLE_EQ(whole->speedup_vs_csr_arrays, seconds_of(*arrays) / seconds_of(*whole));
  for (const char* route : {"separate", "packed", "expanded"}) {
    const auto* row = find(record, "opt-csr", route);
    ASSERT_TRUE(row);
    const auto& csr = std::string(route) == "separate" ? *arrays : *whole;
    EXPECT_DOUBLE_EQ(row->speedup_vs_csr, seconds_of(csr) / seconds_of(*row)) << route;
    EXPECT_DOUBLE_EQ(row->speedup_vs_csr_arrays, seconds_of(*arrays) / seconds_of(*row)) << route;
    EXPECT_DOUBLE_EQ(row->byte_ratio, static_cast<double>(csr.total_bytes) / static_cast<double>(row->total_bytes));
    EXPECT_DOUBLE_EQ(row->gb_per_s, 1e-9 * static_cast<double>(row->sent_bytes) / seconds_of(*row));
  }
}

TEST(Transfer, TimesTheVectorsOfEachTypeAndMemory) {
  FakeWire wire;
  const auto record = transfer_of("gen:uniform,n=300,m=500,k=4", wire, options_with(wire, "csr,sell"));
  for (const TransferMeasure& row : record.formats) {
    const double bytes = (300 + 500) * (row.type == "float" ? 4 : 8);
    EXPECT_DOUBLE_EQ(row.vectors_seconds, 2 * latency + bytes / bytes_per_second) << row.type << " " << row.memory;
  }
  const auto wide = transfer_of("gen:uniform,n=10,m=100000,k=1", wire, options_with(wire, "csr"));
  EXPECT_TRUE(std::isnan(wide.formats.front().vectors_seconds));
}

TEST(Transfer, TellsWhenEncodingIsPaidBack) {
  FakeWire wire;
  const auto record = transfer_of("gen:stencil27,n=6,values=noise", wire, options_with(wire, "csr,opt-csr,coo"));
  EXPECT_FALSE(find(record, "csr", "packed")->break_even_spmv);  // it is not encoded
  const double csr = seconds_of(*find(record, "csr", "packed"));
  const auto* row = find(record, "opt-csr", "packed");
  const double saved = csr - seconds_of(*row);
  ASSERT_GT(saved, 0);
  EXPECT_EQ(row->spmv_seconds, 0x1p-7);
  EXPECT_EQ(row->break_even_transfers, std::ceil(row->encode_seconds / saved));
  EXPECT_EQ(row->break_even_spmv, std::ceil(std::max(0.0, row->encode_seconds - saved) / 0x1p-7));
  const auto* larger = find(record, "coo", "packed");
  EXPECT_FALSE(larger->break_even_transfers);
  EXPECT_EQ(larger->break_even_spmv, std::ceil((larger->encode_seconds + seconds_of(*larger) - csr) / 0x1p-7));
  const auto* arrived = find(record, "opt-csr", "expanded");  // whose products are those of CSR
  EXPECT_EQ(arrived->spmv_seconds, 0x1p-6);
  EXPECT_EQ(arrived->break_even_spmv.has_value(), arrived->encode_seconds <= csr - seconds_of(*arrived));
}

TEST(Transfer, AddsTheSmallestStore) {
  FakeWire wire;
  const auto record = transfer_of("gen:fem3d,n=6", wire, options_with(wire, "csr,opt-csr,bccoo"));
  ASSERT_TRUE(find(record, "csr", "packed", "pinned", "double", "lut8"));
  ASSERT_TRUE(find(record, "opt-csr", "expanded", "pinned", "double", "lut8"));
  const auto* unfit = find(record, "bccoo", "packed", "pinned", "double", "lut8");  // it codes values by itself
  ASSERT_TRUE(unfit);
  EXPECT_FALSE(unfit->ok.has_value());
  EXPECT_FALSE(unfit->reason.empty());
  EXPECT_TRUE(record.ok);
}

TEST(Transfer, SendsPatternsComplexValuesAndNothing) {
  for (const auto& scenario : tests::scenarios())
    for (const tests::Fill fill : {tests::Fill::real, tests::Fill::pattern, tests::Fill::complex_values}) {
      FakeWire wire;
      Matrix matrix;
      matrix.csr = tests::make_csr(scenario, fill);
      const auto record = transfer(matrix, options_with(wire, "csr,opt-csr,bmsparse"), wire);
      ASSERT_TRUE(record.ok()) << scenario.name << ": " << record.error().text();
      EXPECT_TRUE(record->ok) << scenario.name;
      const char* type = fill == tests::Fill::complex_values ? "complex-double" : "double";
      const auto* row = find(*record, "opt-csr", "packed", "pageable", type);
      ASSERT_TRUE(row) << scenario.name;
      EXPECT_EQ(row->ok, true) << scenario.name << ": " << row->reason;
    }
}

TEST(Transfer, FindsALostBit) {
  FakeWire wire;
  wire.good = 0;
  const auto record = transfer_of("gen:stencil7,n=4,values=noise", wire, options_with(wire, "csr,coo"));
  EXPECT_FALSE(record.ok);
  for (const auto& row : record.formats) {
    if (row.route == "packed") continue;  // its last byte may be padding
    EXPECT_EQ(row.ok, false) << row.format << " " << row.route;
    EXPECT_TRUE(std::isnan(row.seconds_median)) << "what is wrong has no time";
  }
}

TEST(Transfer, FindsABitThatIsLostLater) {
  FakeWire wire;
  auto options = options_with(wire, "csr");
  options.types = {ValueType::f64};
  wire.good = 3 * 4;  // what is sent for CSR's product, to be judged and, twice, to warm up
  const auto record = transfer_of("gen:stencil7,n=4,values=noise", wire, options);
  EXPECT_EQ(record.formats.front().ok, false);
  EXPECT_TRUE(std::isnan(record.formats.front().seconds_median));
}

TEST(Transfer, TellsOfAWireThatFails) {
  FakeWire wire;
  wire.fails = true;
  const auto record = transfer_of("gen:stencil7,n=4", wire, options_with(wire, "csr"));
  EXPECT_FALSE(record.ok);
  EXPECT_EQ(record.formats.front().ok, false);
  EXPECT_EQ(record.formats.front().reason, "the wire is cut");
}

TEST(Transfer, TellsOfAProductThatTheDeviceFailsAt) {
  FakeWire wire;
  wire.product_failure = Error{ErrorCode::damaged, "illegal address"};
  const auto record = transfer_of("gen:stencil27,n=6,values=noise", wire, options_with(wire, "coo,opt-csr"));
  EXPECT_FALSE(record.ok);
  for (const auto& row : record.formats) {
    const bool of_csr = row.format == "csr" || row.route == "expanded";  // whose product is another
    EXPECT_EQ(row.ok, of_csr) << row.format << " " << row.route;
    EXPECT_EQ(row.reason, of_csr ? "" : "the product failed: illegal address");
    EXPECT_EQ(std::isnan(row.spmv_seconds), !of_csr);
    EXPECT_EQ(std::isnan(row.seconds_median), !of_csr) << "what is wrong has no time";
  }
}

TEST(Transfer, TellsOfAWireThatFailsBeforeTheProduct) {
  FakeWire wire;
  wire.fails_once = true;
  auto options = options_with(wire, "csr,opt-csr");
  options.types = {ValueType::f64};
  const auto record = transfer_of("gen:stencil7,n=4", wire, options);
  EXPECT_FALSE(record.ok);
  for (const char* memory : {"pinned", "pageable"}) {
    EXPECT_EQ(find(record, "csr", "packed", memory)->ok, false);
    EXPECT_EQ(find(record, "csr", "packed", memory)->reason, "the product failed: the wire is cut");
    EXPECT_EQ(find(record, "opt-csr", "expanded", memory)->ok, false);  // whose products are those of CSR
    EXPECT_EQ(find(record, "opt-csr", "packed", memory)->ok, true);
  }
}

TEST(Transfer, TellsInItsRowThatTheDeviceCannotMakeACsr) {
  FakeWire wire;
  wire.expansion_failure = Error{ErrorCode::too_large, "no room for its scratch"};
  const auto record = transfer_of("gen:stencil27,n=6,values=noise", wire, options_with(wire, "opt-csr"));
  EXPECT_TRUE(record.ok);
  for (const char* memory : {"pinned", "pageable"}) {
    EXPECT_EQ(find(record, "opt-csr", "packed", memory)->ok, true);
    const auto* row = find(record, "opt-csr", "expanded", memory);
    ASSERT_TRUE(row) << memory;
    EXPECT_FALSE(row->ok.has_value());
    EXPECT_EQ(row->reason, "no room for its scratch");
    EXPECT_TRUE(std::isnan(row->seconds_median));
  }
}

TEST(Transfer, TellsInItsRowThatTheDeviceFailedToMakeACsr) {
  FakeWire wire;
  wire.expansion_failure = Error{ErrorCode::unsupported, "an illegal address"};
  const auto record = transfer_of("gen:stencil27,n=6,values=noise", wire, options_with(wire, "opt-csr"));
  EXPECT_FALSE(record.ok);
  EXPECT_EQ(find(record, "opt-csr", "expanded", "pinned")->ok, false);
  EXPECT_EQ(find(record, "opt-csr", "packed", "pinned")->ok, true);
}

TEST(Transfer, TimesTransfersOfProductsThatCannotBeHad) {
  for (const ErrorCode code : {ErrorCode::too_large, ErrorCode::unsupported, ErrorCode::not_applicable}) {
    FakeWire wire;
    wire.product_failure = Error{code, "no room for its scratch"};
    const auto record = transfer_of("gen:stencil27,n=6,values=noise", wire, options_with(wire, "coo"));
    EXPECT_TRUE(record.ok);
    const auto* row = find(record, "coo", "packed");
    ASSERT_TRUE(row);
    EXPECT_EQ(row->ok, true);
    EXPECT_EQ(row->reason, "the product was not timed: no room for its scratch");
    EXPECT_EQ(row->seconds_median, seconds_of(*row));
    EXPECT_TRUE(std::isnan(row->spmv_seconds));
    EXPECT_EQ(find(record, "csr", "packed")->reason, "");
  }
}

TEST(Transfer, FloatRefusesWhatItWouldMakeInfinite) {
  FakeWire wire;
  auto matrix = load("gen:stencil7,n=4,values=noise");
  ASSERT_TRUE(matrix.ok());
  auto* values = matrix->csr.values.codes.as<double>();
  values[7] = -1e300;
  const auto record = transfer(*matrix, options_with(wire, "csr,opt-csr"), wire);
  ASSERT_TRUE(record.ok()) << record.error().text();
  EXPECT_TRUE(record->ok);
  std::size_t refused = 0;
  for (const auto& row : record->formats) {
    if (row.type == "double") {
      EXPECT_EQ(row.ok, true) << row.format << " " << row.route << ": " << row.reason;
      continue;
    }
    ++refused;
    EXPECT_FALSE(row.ok.has_value());
    EXPECT_TRUE(std::isnan(row.seconds_median));
    EXPECT_NE(row.reason.find("-1e+300, beyond float"), std::string::npos) << row.reason;
  }
  EXPECT_EQ(refused, 2u);  // a row for each format
  EXPECT_TRUE(find(*record, "opt-csr", "expanded"));
  for (const double value : {3.4e38, std::numeric_limits<double>::infinity(), 1e-300}) {  // no overflow
    values[7] = value;
    const auto held = transfer(*matrix, options_with(wire, "csr"), wire);
    EXPECT_EQ(find(*held, "csr", "packed", "pinned", "float")->ok, true) << value;
  }
}

TEST(Transfer, GoesOnWithoutWhatDoesNotFitTheDevice) {
  FakeWire wire;
  auto matrix = load("gen:stencil27,n=6,values=noise");
  wire.largest = packed_size(matrix->csr);
  const auto record = transfer_of("gen:stencil27,n=6,values=noise", wire, options_with(wire, "coo,opt-csr"));
  const auto* row = find(record, "coo", "packed");
  ASSERT_TRUE(row);
  EXPECT_FALSE(row->ok.has_value());
  EXPECT_EQ(row->reason, "no room for the matrix as coo");
  EXPECT_EQ(find(record, "opt-csr", "packed")->ok, true);
  EXPECT_TRUE(record.ok);
  wire.largest = 100;
  const auto none = transfer(*matrix, options_with(wire, "csr"), wire);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::too_large);
}

TEST(Transfer, RecordsComeBack) {
  FakeWire wire;
  auto record = transfer_of("gen:fem3d,n=4", wire, options_with(wire, "csr,opt-csr,bccoo"));
  record.pinned_gb_per_s = 55.5;
  const std::string line = to_json_line(record);
  const auto back = reports::parse_transfer_record(line);
  ASSERT_TRUE(back) << back.error;
  EXPECT_EQ(to_json_line(*back.record), line);
  EXPECT_EQ(back.record->formats.size(), record.formats.size());
  for (const char* key :
       {"\"route\":\"expanded\"", "\"memory\":\"pageable\"", "\"pinned_gb_per_s\":55.5",
        "\"break_even_spmv\":", "\"vectors_seconds\":", "\"max_error_ratio\":null", "\"total_bytes\":"})
    EXPECT_NE(line.find(key), std::string::npos) << key;
  const auto failed = failed_transfer_record("no.mtx", "no such file", {});
  const auto failed_back = reports::parse_transfer_record(to_json_line(failed));
  ASSERT_TRUE(failed_back) << failed_back.error;
  EXPECT_EQ(failed_back.record->error, "no such file");
  EXPECT_FALSE(failed_back.record->ok);
}

TEST(Transfer, RefusesAFormatTwice) {
  FakeWire wire;
  auto matrix = load("gen:identity,n=4");
  const auto record = transfer(*matrix, options_with(wire, "csr,csr"), wire);
  ASSERT_FALSE(record.ok());
  EXPECT_EQ(record.error().code, ErrorCode::usage);
}

}  // namespace
}  // namespace spress::pipeline
