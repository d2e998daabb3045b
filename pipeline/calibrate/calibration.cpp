#include "pipeline/calibrate/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <tuple>

#include "analyze/gathers.hpp"
#include "analyze/store_check.hpp"
#include "encode/shared/any.hpp"
#include "encode/shared/stretches.hpp"
#include "formats/io/bytes/output_file.hpp"
#include "formats/io/bytes/text_file.hpp"
#include "pipeline/calibrate/shipped_calibrations.hpp"
#include "pipeline/device/wire.hpp"
#include "pipeline/measure/pairing.hpp"
#include "pipeline/measure/timing.hpp"
#include "pipeline/measure/transfer.hpp"
#include "pipeline/version.hpp"

namespace spress::pipeline {
namespace {

namespace fs = std::filesystem;

/// Fewer say too little about a format, which `auto` then leaves out where it predicts.
constexpr std::size_t least_measurements = 6;
constexpr std::size_t least_share = 3;  // or than a third of those of the format measured most: on a few kinds alone

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Calibration calibration_of(const reports::CalibrationRecord& record, std::string source) {
  const auto& machine = record.machine;
  return {cost_model(record), std::move(source), machine.driver ? machine.device : machine.machine};
}

/// Predictions by its numbers are numbers. A weight that is none is one to be found.
bool is_sound(const reports::CalibrationRecord& record) {
  constexpr double most = 1e6;
  const auto small = [](double number) { return std::isfinite(number) && std::abs(number) <= most; };
  for (const auto& [name, scale] : record.likeness)
    if (!small(scale) || ((name == "variance" || name == "noise") && !(scale > 0))) return false;
  for (const auto& format : record.formats) {
    if (!small(format.offset)) return false;
    for (const auto& price : format.prices)
      if (!small(price.second)) return false;
    for (const auto& product : format.products)
      if (product.seconds > most || (!std::isnan(product.weight) && !small(product.weight))) return false;
  }
  return true;
}

Result<reports::CalibrationRecord> parse(std::string_view text, const std::string& source, DeviceKind device) {
  auto parsed = reports::parse_calibration_record(text);
  const std::string kind(enum_name(device));
  const std::string remedy = "; write one with 'spress calibrate --device " + kind + " -o " + source +
                             "', or delete the file: one comes with the program";
  if (!parsed) return Error{ErrorCode::unreadable, "no calibration: " + parsed.error + remedy, source, 0};
  if (!is_sound(*parsed.record))
    return Error{ErrorCode::unreadable, "no calibration: it has numbers that no measurement leads to" + remedy, source,
                 0};
  if (parsed.record->device != kind)
    return Error{ErrorCode::unreadable,
                 "a calibration of " + parsed.record->device + " where one of " + kind + " is wanted" + remedy, source,
                 0};
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

/// A line for each matrix and each format.
std::string by_lines(const std::string& json) {
  const std::string head = "{\"format\"", matrix = "{\"path\"";
  std::string out;
  for (std::size_t at = 0; at < json.size();) {
    const auto next = std::min({json.find(head, at + 1), json.find(matrix, at + 1), json.size()});
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

MatrixWork work_of(const reports::CalibrationMatrix& m) {
  MatrixWork work;
  const auto number = [](std::uint64_t count) { return static_cast<double>(count); };
  work.rows = number(m.rows);
  work.cols = number(m.cols);
  work.nnz = number(m.nnz);
  work.longest_row = number(m.longest_row);
  work.row_sectors = number(m.row_sectors);
  work.slice_sectors = number(m.slice_sectors);
  work.far_sectors = number(m.far_sectors);
  work.value_bytes = number(m.value_bytes);
  work.pattern = m.pattern;
  return work;
}

/// A product as a record holds it, with what follows from its matrix.
struct Product {
  TimedProduct timed;
  Residual residual;  // but for how far a sum is off
  double weight = 0;  // not a number: to be found
};

/// None where the record names what is not there.
std::optional<Product> product_of(const reports::CalibrationRecord& record, const reports::CalibrationProduct& p,
                                  const LikenessScales& scales) {
  const auto store = store_named(p.values);
  if (p.matrix >= record.matrices.size() || !store || !(p.seconds > 0)) return std::nullopt;
  const MatrixWork work = work_of(record.matrices[p.matrix]);
  const auto slots = static_cast<double>(p.slots), cache = static_cast<double>(record.cache_bytes);
  Product out;
  const FormatWork format = {static_cast<double>(p.total_bytes), slots, *store, static_cast<double>(p.table_values)};
  out.timed = {cost_counts(work, format, cache), p.seconds};
  out.residual = {static_cast<std::uint32_t>(p.matrix), priced_store(work, *store), padding_of(work, slots, scales)};
  out.weight = p.weight;
  return out;
}

std::vector<Product> products_of(const reports::CalibrationRecord& record, const reports::FormatPricesRecord& format,
                                 const LikenessScales& scales) {
  std::vector<Product> out;
  for (const auto& p : format.products)
    if (auto product = product_of(record, p, scales)) out.push_back(*product);
  return out;
}

/// Calls use(name, scale) for each of them.
template <class Scales, class Use>
void for_each_scale(Scales& scales, const Use& use) {
  constexpr std::array<const char*, std::tuple_size_v<Likeness>> names = {
      "entries_of_row", "row_sectors", "slice_sectors", "far_sectors", "working_set", "longest_row", "rows", "cols"};
  for (std::size_t k = 0; k < names.size(); ++k) use(names[k], scales.matrix[k]);
  use("padding", scales.padding);
  use("other_store", scales.other_store);
  use("far_share", scales.far_share);
  use("variance", scales.variance);
  use("noise", scales.noise);
}

/// Those that the record's weights were found with: what they did not take into account makes no difference.
LikenessScales scales_of(const reports::CalibrationRecord& record) {
  LikenessScales scales;
  if (!record.likeness.empty()) scales.matrix.fill(0);
  for_each_scale(scales, [&](const std::string& wanted, double& scale) {
    for (const auto& [name, value] : record.likeness)
      if (name == wanted) scale = value;
  });
  return scales;
}

std::vector<Likeness> places_of(const reports::CalibrationRecord& record, const LikenessScales& scales) {
  std::vector<Likeness> places;
  for (const auto& matrix : record.matrices)
    places.push_back(likeness(work_of(matrix), static_cast<double>(record.cache_bytes), scales));
  return places;
}

std::vector<Residual> residuals_of(const std::vector<Product>& products, const CostPrices& prices) {
  std::vector<Residual> out;
  for (const Product& p : products) {
    const double sum = priced(prices, p.timed.counts);
    out.push_back(p.residual);
    out.back().log_ratio = sum > 0 ? std::log(p.timed.seconds / sum) : 0;
  }
  return out;
}

/// Weights that the record lacks are found.
FormatPrices prices_of(const reports::CalibrationRecord& record, const reports::FormatPricesRecord& format,
                       const std::vector<Likeness>& places, const LikenessScales& scales) {
  FormatPrices out{format.format, format.type, prices_of(format.prices), format.offset, format.needed};
  const auto products = products_of(record, format, scales);
  const auto is_known = [&](const Product& p) { return !record.likeness.empty() && std::isfinite(p.weight); };
  const bool known = std::all_of(products.begin(), products.end(), is_known);
  Learnt learnt;
  if (!known) {
    learnt = learn(residuals_of(products, out.prices), places, scales);
    out.offset = learnt.offset;
  }
  for (std::size_t k = 0; k < products.size(); ++k)
    out.add_weight(places.size(), products[k].residual, known ? products[k].weight : learnt.weights[k]);
  return out;
}

/// As many digits as tell on a prediction.
double shortened(double number) { return std::strtod(fmt::format("{:.7g}", number).c_str(), nullptr); }

/// Requires: products that are all there.
void fit(const reports::CalibrationRecord& record, reports::FormatPricesRecord& format,
         const std::vector<Likeness>& places, const LikenessScales& scales) {
  const auto products = products_of(record, format, scales);
  std::vector<TimedProduct> timed;
  for (const Product& p : products) timed.push_back(p.timed);
  const CostFit fit = fit_prices(timed);
  format.error = fit.error;
  format.worst = fit.worst;
  format.prices.clear();
  for (std::size_t t = 0; t < cost_terms; ++t)
    if (fit.prices[t]) format.prices.emplace_back(cost_term_name(t), *fit.prices[t]);
  const Learnt learnt = learn(residuals_of(products, fit.prices), places, scales);
  format.offset = learnt.offset;
  for (std::size_t k = 0; k < products.size(); ++k) format.products[k].weight = shortened(learnt.weights[k]);
}

/// How many values the tables of a matrix's stores hold in values of a type, each found out once.
class TableLengths {
 public:
  TableLengths(const Csr<Viewed>& a, int threads) : a_(a), threads_(threads) {}

  /// Errors: as with_value_type.
  [[nodiscard]] Result<std::uint64_t> length(StoreKind store, const std::string& type) {
    if (a_.values.type == ValueType::none) return std::uint64_t{0};
    const auto [at, is_new] = known_.try_emplace(std::pair(store, type), 0);
    if (is_new) {
      SPRESS_TRY(at->second, found(store, type));
    }
    return at->second;
  }

 private:
  [[nodiscard]] Result<std::uint64_t> found(StoreKind store, const std::string& type) {
    if (type == enum_name(a_.values.type)) return length_in(store, a_.values);
    if (!rounded_) {
      SPRESS_TRY(rounded_, with_value_type(a_, ValueType::f32));  // as bench does
    }
    return length_in(store, view_of(rounded_->values));
  }
  [[nodiscard]] std::uint64_t length_in(StoreKind store, const ValueStore<Viewed>& raw) const {
    return analyze::table_length(store, raw, raw, threads_).value_or(0);
  }

  const Csr<Viewed>& a_;
  int threads_;
  std::optional<Csr<Owned>> rounded_;
  std::map<std::pair<StoreKind, std::string>, std::uint64_t> known_;
};

bool is_same(const reports::CalibrationMatrix& x, const reports::CalibrationMatrix& y) {
  return x.path == y.path && x.value_bytes == y.value_bytes && x.rows == y.rows && x.cols == y.cols && x.nnz == y.nnz;
}

// --- Which formats are needed ---

/// The least seconds of each measured matrix with each format, whatever its store and type; infinite: not measured.
std::vector<std::vector<double>> fastest_by_format(const reports::CalibrationRecord& record) {
  std::vector<std::vector<double>> out;
  for (const auto& format : record.formats) {
    auto& fastest = out.emplace_back(record.matrices.size(), std::numeric_limits<double>::infinity());
    for (const auto& p : format.products) fastest[p.matrix] = std::min(fastest[p.matrix], p.seconds);
  }
  return out;
}

/// CSR, which holds any matrix, and then the format that is nearly the fastest for the most matrices that those taken
/// before are not, again and again, until nearly all have one: the others would only be mistaken for one of these.
void find_needed(reports::CalibrationRecord& record) {
  constexpr double nearly_fastest = 1.02, few_left = 0.01;
  const auto fastest = fastest_by_format(record);
  std::vector<std::size_t> left;
  std::vector<double> least(record.matrices.size(), std::numeric_limits<double>::infinity());
  for (std::size_t m = 0; m < least.size(); ++m) {
    for (const auto& seconds : fastest) least[m] = std::min(least[m], seconds[m]);
    if (std::isfinite(least[m])) left.push_back(m);
  }
  const auto serves = [&](std::size_t f, std::size_t m) { return fastest[f][m] <= nearly_fastest * least[m]; };
  const auto take = [&](std::size_t f) {
    for (auto& each : record.formats)  // whatever the type
      each.needed = each.needed || each.format == record.formats[f].format;
    std::erase_if(left, [&](std::size_t m) { return serves(f, m); });
  };
  for (auto& format : record.formats) format.needed = false;
  for (std::size_t f = 0; f < record.formats.size(); ++f)
    if (record.formats[f].format == "csr") take(f);
  const double enough = few_left * static_cast<double>(left.size());
  while (!left.empty() && static_cast<double>(left.size()) > enough) {
    std::size_t best = 0;
    std::ptrdiff_t most = -1;
    for (std::size_t f = 0; f < record.formats.size(); ++f) {
      const auto served = std::count_if(left.begin(), left.end(), [&](std::size_t m) { return serves(f, m); });
      if (served > most) best = f, most = served;
    }
    take(best);
  }
}

}  // namespace

fs::path calibration_file(DeviceKind device) {
  const std::string cache = environment("XDG_CACHE_HOME"), home = environment("HOME");
  if (cache.empty() && home.empty()) return {};
  return (cache.empty() ? fs::path(home) / ".cache" : fs::path(cache)) / "spress" /
         ("calibration-" + std::string(enum_name(device)) + ".json");
}

Result<Calibration> read_calibration(const fs::path& file, DeviceKind device) {
  SPRESS_TRY(const std::string text, io::read_text(file));
  SPRESS_TRY(const auto record, parse(text, file.string(), device));
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
  model.scales = scales_of(record);
  const std::vector<Likeness> places = places_of(record, model.scales);
  model.places = Places(places);
  for (const auto& each : record.formats) model.formats.push_back(prices_of(record, each, places, model.scales));
  return model;
}

Calibrator::Calibrator(DeviceKind device, std::uint64_t cache_bytes, int threads) : threads_(threads) {
  record_.tool = tool_record();
  record_.device = enum_name(device);
  record_.cache_bytes = cache_bytes;
}

std::uint64_t Calibrator::place_of(const Csr<Viewed>& a, const std::string& path, const std::string& type) {
  reports::CalibrationMatrix m{path, a.rows, a.cols, a.nnz, longest_row(a)};
  m.value_bytes = type == enum_name(ValueType::f32) ? 4 : 8;
  for (std::size_t known = 0; known < record_.matrices.size(); ++known)  // by another record
    if (is_same(record_.matrices[known], m)) return known;
  m.pattern = a.values.type == ValueType::none;
  const auto gathers = analyze::gather_counts(a, m.value_bytes, threads_);
  m.row_sectors = gathers.by_row;
  m.slice_sectors = gathers.by_slice;
  m.far_sectors = gathers.by_window;
  record_.matrices.push_back(std::move(m));
  return record_.matrices.size() - 1;
}

reports::FormatPricesRecord& Calibrator::format(const std::string& text, const std::string& type) {
  for (auto& each : record_.formats)
    if (each.format == text && each.type == type) return each;
  auto& joined = record_.formats.emplace_back();
  joined.format = text;
  joined.type = type;
  return joined;
}

Status Calibrator::add(const Matrix& matrix, const reports::BenchRecord& record) {
  const auto a = view_of(matrix.csr);
  if (record.rows != a.rows || record.cols != a.cols || record.nnz != a.nnz)
    return Error{ErrorCode::usage, "the record is of another matrix than " + matrix.info.path, {}, 0};
  std::map<std::string, std::uint64_t> places, slots;  // of the matrix by type, of values by format
  TableLengths tables(a, threads_);
  for (const reports::BenchMeasure& row : record.formats) {
    if (row.peer || !row.ok.value_or(false) || !(row.seconds_median > 0) || !store_named(row.values)) continue;
    const std::string text = spec_of(row);
    if (slots.count(text) == 0) {
      SPRESS_TRY(const auto spec, parse_spec(text));
      SPRESS_TRY(const auto size, estimate_any(a, spec));
      slots[text] = size.value_slots;
    }
    if (places.count(row.type) == 0) places[row.type] = place_of(a, record.path, row.type);
    SPRESS_TRY(const std::uint64_t table_values, tables.length(*store_named(row.values), row.type));
    format(text, row.type)
        .products.push_back(
            {places[row.type], row.values, row.total_bytes, slots[text], row.seconds_median, table_values});
  }
  return Ok{};
}

Result<reports::CalibrationRecord> Calibrator::finish() const {
  reports::CalibrationRecord record = record_;
  std::size_t most = 0;
  for (const auto& each : record.formats) most = std::max(most, each.products.size());
  std::erase_if(record.formats, [most](const auto& each) {
    return each.products.size() < std::max(least_measurements, most / least_share);
  });
  if (record.formats.empty())
    return Error{ErrorCode::not_applicable,
                 "no format was measured " + std::to_string(least_measurements) + " times: measure more matrices",
                 {},
                 0};
  const LikenessScales scales;
  const auto places = places_of(record, scales);
  for (auto& format : record.formats) fit(record, format, places, scales);
  find_needed(record);
  for_each_scale(scales, [&](const char* name, double scale) { record.likeness.emplace_back(name, scale); });
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
