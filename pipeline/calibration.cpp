#include "pipeline/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <span>
#include <sstream>

#include "encode/any.hpp"
#include "formats/io/output_file.hpp"
#include "pipeline/pairing.hpp"
#include "pipeline/shipped_calibrations.hpp"
#include "pipeline/timing.hpp"
#include "pipeline/transfer.hpp"
#include "pipeline/version.hpp"
#include "pipeline/wire.hpp"

namespace spress::pipeline {
namespace {

namespace fs = std::filesystem;

/// Fewer say too little about a format: the prices of any are better then.
constexpr std::size_t least_measurements = 6;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Calibration calibration_of(const reports::CalibrationRecord& record, std::string source) {
  const auto& machine = record.machine;
  return {cost_model(record), std::move(source), machine.driver ? machine.device : machine.machine};
}

Result<reports::CalibrationRecord> parse(std::string_view text, const std::string& source, DeviceKind device) {
  auto parsed = reports::parse_calibration_record(text);
  if (!parsed)
    return Error{ErrorCode::unreadable, "no calibration (spress calibrate writes one): " + parsed.error, source, 0};
  if (parsed.record->device != enum_name(device))
    return Error{
        ErrorCode::unreadable,
        "a calibration of " + parsed.record->device + " where one of " + std::string(enum_name(device)) + " is wanted",
        source, 0};
  return std::move(*parsed.record);
}

Result<Calibration> shipped(DeviceKind device, std::string_view device_name) {
  std::optional<Calibration> any;
  for (const std::string_view text : shipped_calibrations()) {
    const auto record = parse(text, "shipped", device);
    if (!record.ok()) continue;  // of the other kind
    if (record->machine.device == device_name) return calibration_of(*record, "shipped");
    if (!any) any = calibration_of(*record, "shipped");
  }
  if (any) return std::move(*any);
  return Error{ErrorCode::not_found,
               "no calibration for " + std::string(enum_name(device)) + " was shipped: run spress calibrate --device " +
                   std::string(enum_name(device)),
               {},
               0};
}

/// A line for each format.
std::string by_lines(const std::string& json) {
  const std::string head = "{\"format\"";
  std::string out;
  for (std::size_t at = 0; at < json.size();) {
    const auto next = std::min(json.find(head, at + 1), json.size());
    out += json.substr(at, next - at) + "\n";
    at = next;
  }
  return out;
}

std::optional<StoreKind> store_named(std::string_view name) {
  for (const StoreKind kind : all_stores)
    if (enum_name(kind) == name) return kind;
  return std::nullopt;
}

CostPrices prices_of(const reports::Ordered<double>& named) {
  CostPrices prices = {};
  for (std::size_t t = 0; t < cost_terms; ++t)
    for (const auto& [name, seconds] : named)
      if (name == cost_term_name(t)) prices[t] = seconds;
  return prices;
}

reports::FormatPricesRecord fitted(const std::string& format, const std::string& type,
                                   const std::vector<TimedProduct>& products) {
  const CostFit fit = fit_prices(products);
  reports::FormatPricesRecord record{format, type, products.size(), fit.error, fit.worst, {}};
  for (std::size_t t = 0; t < cost_terms; ++t)
    if (fit.prices[t]) record.prices.emplace_back(cost_term_name(t), *fit.prices[t]);
  return record;
}

}  // namespace

fs::path calibration_file(DeviceKind device) {
  const std::string cache = environment("XDG_CACHE_HOME"), home = environment("HOME");
  if (cache.empty() && home.empty()) return {};
  return (cache.empty() ? fs::path(home) / ".cache" : fs::path(cache)) / "spress" /
         ("calibration-" + std::string(enum_name(device)) + ".json");
}

Result<Calibration> read_calibration(const fs::path& file, DeviceKind device) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return Error{ErrorCode::unreadable, "cannot be read", file.string(), 0};
  SPRESS_TRY(const auto record, parse(text.str(), file.string(), device));
  return calibration_of(record, file.string());
}

Result<Calibration> load_calibration(DeviceKind device, std::string_view device_name) {
  std::error_code ignored;
  const fs::path file = calibration_file(device);
  if (!file.empty() && fs::exists(file, ignored)) return read_calibration(file, device);
  return shipped(device, device_name);
}

Status write_calibration(const reports::CalibrationRecord& record, const fs::path& file) {
  std::error_code ignored;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), ignored);  // creating the file tells why not
  const std::string text = by_lines(reports::to_json_line(record));
  SPRESS_TRY(auto out, io::OutputFile::create(file));
  SPRESS_CHECK(out.write(text.data(), text.size()));
  return out.commit();
}

CostModel cost_model(const reports::CalibrationRecord& record) {
  CostModel model;
  model.cache_bytes = static_cast<double>(record.cache_bytes);
  if (std::isfinite(record.link_gb_per_s)) model.link_bytes_per_second = 1e9 * record.link_gb_per_s;
  if (std::isfinite(record.link_seconds)) model.link_seconds = record.link_seconds;
  for (const auto& each : record.formats)
    model.formats.push_back({each.format, each.type, prices_of(each.prices), each.error, each.measurements});
  return model;
}

Calibrator::Calibrator(DeviceKind device, std::uint64_t cache_bytes, int threads)
    : device_(device), cache_bytes_(cache_bytes), threads_(threads) {}

Calibrator::Group& Calibrator::group(const std::string& format, const std::string& type) {
  for (Group& each : groups_)
    if (each.format == format && each.type == type) return each;
  return groups_.emplace_back(Group{format, type, {}});
}

Status Calibrator::add(const Matrix& matrix, const reports::BenchRecord& record) {
  const auto a = view_of(matrix.csr);
  if (record.rows != a.rows || record.cols != a.cols || record.nnz != a.nnz)
    return Error{ErrorCode::usage, "the record is of another matrix than " + matrix.info.path, {}, 0};
  std::map<std::string, MatrixWork> works;  // by type
  std::map<std::string, double> slots;      // by format
  for (const reports::BenchMeasure& row : record.formats) {
    const auto store = store_named(row.values);
    if (row.peer || !row.ok.value_or(false) || !(row.seconds_median > 0) || !store) continue;
    Spec spec{row.format, {}};
    if (!row.parameters.empty()) {
      SPRESS_TRY(spec, parse_spec(row.format + ":" + row.parameters));
    }
    if (slots.count(spec.text()) == 0) {
      SPRESS_TRY(const auto size, estimate_any(a, spec));
      slots[spec.text()] = static_cast<double>(size.value_slots);
    }
    if (works.count(row.type) == 0) {
      MatrixWork& work = works[row.type];
      work = matrix_work(a, threads_);
      work.value_bytes = row.type == "float" ? 4 : 8;
    }
    const auto counts = cost_counts(works[row.type], static_cast<double>(row.total_bytes), slots[spec.text()], *store,
                                    static_cast<double>(cache_bytes_));
    group(spec.text(), row.type).products.push_back({counts, row.seconds_median});
  }
  matrices_.push_back(matrix.info.path);
  return Ok{};
}

Result<reports::CalibrationRecord> Calibrator::finish() const {
  std::map<std::string, std::vector<TimedProduct>> all;  // by type
  for (const Group& each : groups_)
    all[each.type].insert(all[each.type].end(), each.products.begin(), each.products.end());
  if (all.empty()) return Error{ErrorCode::not_applicable, "no product was measured", {}, 0};
  reports::CalibrationRecord record;
  record.tool = tool_record();
  record.device = enum_name(device_);
  record.cache_bytes = cache_bytes_;
  record.matrices = matrices_;
  for (const auto& [type, products] : all) record.formats.push_back(fitted("", type, products));
  for (const Group& each : groups_)
    if (each.products.size() >= least_measurements)
      record.formats.push_back(fitted(each.format, each.type, each.products));
  return record;
}

Status measure_link(reports::CalibrationRecord& record) {
  constexpr std::size_t bytes = 4096;
  SPRESS_TRY(const auto wire, wire_to_gpu());
  SPRESS_TRY(record.link_gb_per_s, wire_bandwidth(*wire, HostMemory::pinned));
  SPRESS_TRY(const auto from, wire->host_memory(bytes, HostMemory::pinned, "a small copy"));
  SPRESS_TRY(const auto to, wire->device_memory(bytes, "a small copy"));
  const cuda::Copy copy{to.get(), from.get(), bytes};
  std::vector<double> seconds;
  for (int run = 0; run < 21; ++run) {
    const auto start = Clock::now();
    SPRESS_CHECK(wire->send(std::span(&copy, 1), HostMemory::pinned));
    seconds.push_back(seconds_since(start));
  }
  record.link_seconds = median(std::move(seconds));
  return Ok{};
}

std::vector<Spec> calibration_formats() {
  std::vector<Spec> specs;
  for (const FormatEntry& entry : format_entries()) {
    specs.push_back({entry.name, {}});
    for (const OptionText& option : entry.options)
      for (std::size_t begin = 0; !option.choices.empty() && begin <= option.choices.size();) {
        const auto end = std::min(option.choices.find('|', begin), option.choices.size());
        const std::string choice = option.choices.substr(begin, end - begin);
        if (choice != option.value) specs.push_back({entry.name, {{option.key, choice}}});
        begin = end + 1;
      }
  }
  return specs;
}

std::vector<std::string> calibration_inputs(DeviceKind device) {
  // Sides n such that the first ones lie beyond the cache and the others within.
  const bool gpu = device == DeviceKind::cuda;
  const auto sized = [gpu](const std::string& head, int on_gpu, int on_cpu, const std::string& tail) {
    return "gen:" + head + std::to_string(gpu ? on_gpu : on_cpu) + tail;
  };
  const std::string few = ",values=few,distinct=200", noise = ",values=noise";
  return {
      sized("stencil27,n=", 72, 44, few),
      sized("poisson2d,n=", 1400, 700, noise),
      sized("circuit,n=", 1'500'000, 300'000, few),
      sized("elasticity3d,n=", 32, 20, ",values=few,distinct=5000"),
      sized("powerlaw,n=", 1'200'000, 200'000, few),
      sized("band,n=", 600'000, 100'000, ",half=2000,per_row=16,values=few,distinct=200"),
      sized("uniform,n=", 1'000'000, 200'000, ",k=8,values=few,distinct=200"),
      sized("stencil7,n=", 120, 60, ""),
      sized("blockdiag,n=", 400'000, 80'000, ",b=16,values=noise"),
      sized("kkt,n=", 500'000, 100'000, ",m=50000,k=8"),
      sized("density,n=", 200'000, 40'000, ",max=96,values=noise"),
      sized("fem3d,n=", 100, 50, noise),
      sized("band,n=", 2'000'000, 300'000, ",half=20000,per_row=8,values=noise"),
      sized("mycielskian,k=", 14, 12, ""),
      sized("stencil27,n=", 20, 12, few),
      sized("band,n=", 20'000, 4'000, ",half=2000,per_row=16,values=noise"),
      sized("uniform,n=", 20'000, 4'000, ",k=8,values=few,distinct=200"),
      sized("circuit,n=", 20'000, 5'000, noise),
      sized("poisson2d,n=", 200, 60, few),
  };
}

}  // namespace spress::pipeline
