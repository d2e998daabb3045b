#include "pipeline/calibrate/calibrator.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "encode/shared/any.hpp"
#include "formats/core/clock.hpp"
#include "pipeline/calibrate/calibration.hpp"
#include "pipeline/device/wire.hpp"
#include "pipeline/measure/pairing.hpp"
#include "pipeline/measure/transfer.hpp"
#include "pipeline/version.hpp"

namespace spress::pipeline {
namespace {

/// A format that was measured less often is left out: as a number, and as a share of the format measured most often.
constexpr std::size_t least_measurements = 6, least_share = 3;

/// The number with so many digits: more do not change a prediction.
double shortened(double number, int digits = 4) {
  if (number == 0) return 0;
  const double unit = std::pow(10, digits - 1 - std::floor(std::log10(std::abs(number))));
  return std::round(number * unit) / unit;
}

}  // namespace

Calibrator::Calibrator(DeviceKind device, std::uint64_t cache_bytes, int threads)
    : device_(device), cache_bytes_(static_cast<double>(cache_bytes)), threads_(threads) {}

std::uint32_t Calibrator::place_of(const Csr<Viewed>& a, const std::string& path, const std::string& type) {
  const auto is_same = [&](const MeasuredMatrix& m) {
    return m.path == path && m.type == type && m.work.nnz == static_cast<double>(a.nnz);
  };
  const auto known = std::find_if(matrices_.begin(), matrices_.end(), is_same);
  const auto place = static_cast<std::uint32_t>(known - matrices_.begin());
  if (known != matrices_.end()) return place;
  const std::uint64_t value_bytes = type == enum_name(ValueType::f32) ? 4 : 8;
  matrices_.push_back({path, type, matrix_work(a, value_bytes, threads_)});
  places_.push_back(likeness(matrices_.back().work, cache_bytes_));
  for (double& coordinate : places_.back()) coordinate = shortened(coordinate);
  return place;
}

Calibrator::MeasuredFormat& Calibrator::format(const std::string& text, const std::string& type) {
  for (MeasuredFormat& each : formats_)
    if (each.format == text && each.type == type) return each;
  return formats_.emplace_back(MeasuredFormat{text, type});
}

Status Calibrator::add(const Matrix& matrix, const reports::BenchRecord& record) {
  const auto a = view_of(matrix.csr);
  if (record.rows != a.rows || record.cols != a.cols || record.nnz != a.nnz)
    return Error{ErrorCode::usage, "the record is of another matrix than " + matrix.info.path};
  if (!record.parts.empty())
    return Error{ErrorCode::usage, record.path + " was measured by several processes: give records of one"};
  std::map<std::string, std::uint64_t> slots;  // by format
  for (const reports::BenchMeasure& row : record.formats) {
    const auto store = enum_named<StoreKind>(row.values);
    if (row.peer || row.streamed_bytes || !row.ok.value_or(false) || !(row.seconds_median > 0) || !store) continue;
    const std::string text = spec_of(row);
    if (slots.count(text) == 0) {
      SPRESS_TRY(const auto spec, parse_spec(text));
      SPRESS_TRY(const auto size, estimate_any(a, spec));
      slots[text] = size.value_slots;
    }
    const std::uint32_t place = place_of(a, record.path, row.type);
    const MatrixWork& work = matrices_[place].work;
    const auto of_format = static_cast<double>(slots[text]);
    const FormatWork size = {static_cast<double>(row.total_bytes), of_format, *store};
    format(text, row.type)
        .products.push_back({cost_counts(work, size, cache_bytes_), row.seconds_median, place,
                             priced_store(work, *store), shortened(padding_of(work, of_format), 3)});
  }
  return Ok{};
}

/// The launch of csr, the simplest product, but no more than the quickest product of `measured`. If no tiny matrix was
/// measured, the other terms take a share of a format's launch, which then seems to cost nothing.
double Calibrator::least_launch(const MeasuredFormat& measured) const {
  const auto csr = std::find_if(formats_.begin(), formats_.end(), [&](const MeasuredFormat& other) {
    return other.format == Csr<Owned>::name && other.type == measured.type;
  });
  if (csr == formats_.end() || &*csr == &measured) return 0;
  constexpr auto launch = static_cast<std::size_t>(CostTerm::launch);
  double least = fit_prices(csr->products).prices[launch].value_or(0);
  for (const MeasuredProduct& product : measured.products) least = std::min(least, product.seconds);
  return least;
}

void Calibrator::fit(const MeasuredFormat& measured, reports::CalibrationRecord& record) const {
  const CostFit prices = fit_prices(measured.products, least_launch(measured));
  const CorrectionFit corrections = fit_corrections(measured.products, prices.prices, places_);
  auto& out = record.formats.emplace_back(reports::FormatPricesRecord{
      measured.format, measured.type, measured.products.size(), prices.error, prices.worst, {}, corrections.offset});
  for (std::size_t t = 0; t < cost_terms; ++t)
    if (prices.prices[t]) out.prices.emplace_back(cost_term_name(t), shortened(*prices.prices[t]));
  for (const StoreKind kind : all_stores) {
    reports::CalibrationWeights weights{std::string(enum_name(kind)), {}, {}, {}};
    bool padded = false;
    for (std::size_t k = 0; k < measured.products.size(); ++k) {
      const MeasuredProduct& product = measured.products[k];
      if (product.store != kind) continue;
      weights.matrix.push_back(product.place);
      weights.weight.push_back(shortened(corrections.weights[k], 3));
      weights.padding.push_back(product.padding);
      padded = padded || product.padding != 0;
    }
    if (!padded) weights.padding.clear();
    if (!weights.matrix.empty()) out.weights.push_back(std::move(weights));
  }
}

Result<reports::CalibrationRecord> Calibrator::finish() const {
  reports::CalibrationRecord record;
  record.tool = tool_record();
  record.device = enum_name(device_);
  record.cache_bytes = static_cast<std::uint64_t>(cache_bytes_);
  for (const Likeness& place : places_) record.places.emplace_back(place.begin(), place.end());
  record.scales = LikenessScales::version;
  std::size_t most = 0;
  for (const MeasuredFormat& each : formats_) most = std::max(most, each.products.size());
  for (const MeasuredFormat& each : formats_)
    if (each.products.size() >= std::max(least_measurements, most / least_share)) fit(each, record);
  if (record.formats.empty())
    return Error{ErrorCode::not_applicable,
                 "no format was measured " + std::to_string(least_measurements) + " times: measure more matrices"};
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
  // Sides n such that the first ones lie beyond the cache and the others within. Of the last three, what a product
  // costs however small it is makes up most of the time.
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
      "gen:poisson2d,n=6" + few,
      "gen:stencil27,n=5" + few,
      "gen:circuit,n=300" + noise,
  };
}

}  // namespace spress::pipeline
