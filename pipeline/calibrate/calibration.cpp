#include "pipeline/calibrate/calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include "formats/io/bytes/text_file.hpp"
#include "pipeline/calibrate/shipped_calibrations.hpp"
#include "pipeline/digest.hpp"

namespace spress::pipeline {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Calibration calibration_of(const reports::CalibrationRecord& record, std::string source) {
  return {cost_model(record), std::move(source), device_name(record.machine)};
}

/// The number of characters that two names have in common at their beginning.
std::ptrdiff_t shared_beginning(std::string_view x, std::string_view y) {
  return std::mismatch(x.begin(), x.end(), y.begin(), y.end()).first - x.begin();
}

bool is_sound(double number) { return std::isfinite(number) && std::abs(number) <= 1e6; }
bool are_sound(const std::vector<double>& numbers) { return std::all_of(numbers.begin(), numbers.end(), is_sound); }
bool are_sound(const reports::Ordered<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](const auto& named) { return is_sound(named.second); });
}

bool is_sound(const reports::CalibrationWeights& weights, std::size_t places) {
  const std::size_t count = weights.matrix.size();
  return are_sound(weights.weight) && are_sound(weights.padding) && weights.weight.size() == count &&
         (weights.padding.empty() || weights.padding.size() == count) &&
         std::all_of(weights.matrix.begin(), weights.matrix.end(), [&](std::uint64_t m) { return m < places; });
}

/// Whether the record makes a model whose predictions are numbers.
bool is_sound(const reports::CalibrationRecord& record) {
  const auto is_place = [](const auto& place) {
    return place.size() == std::tuple_size_v<Likeness> && are_sound(place);
  };
  const auto has_sound_weights = [&](const auto& format) {
    return is_sound(format.offset) && are_sound(format.prices) &&
           std::all_of(format.weights.begin(), format.weights.end(),
                       [&](const auto& weights) { return is_sound(weights, record.places.size()); });
  };
  return std::all_of(record.places.begin(), record.places.end(), is_place) &&
         std::all_of(record.formats.begin(), record.formats.end(), has_sound_weights);
}

Result<reports::CalibrationRecord> parse(std::string_view text, const std::string& source, DeviceKind device) {
  auto parsed = reports::parse_calibration_record(text);
  const std::string kind(enum_name(device));
  const std::string remedy = "; write one with 'spress calibrate --device " + kind + " -o " + source +
                             "', or delete the file: one comes with the program";
  const auto problem = [&]() -> std::string {
    if (!parsed) return "no calibration: " + parsed.error;
    if (parsed.record->scales != LikenessScales::version) return "a calibration for another version of spress";
    if (!is_sound(*parsed.record)) return "no calibration: it has numbers that no measurement leads to";
    if (parsed.record->device != kind)
      return "a calibration of " + parsed.record->device + " where one of " + kind + " is wanted";
    return {};
  }();
  if (!problem.empty()) return Error{ErrorCode::unreadable, problem + remedy, source, 0};
  return std::move(*parsed.record);
}

/// How well a shipped calibration fits: its kind of processor comes before its name.
std::pair<bool, std::ptrdiff_t> fitness(const reports::MachineRecord& shipped, DeviceKind device, std::string_view name,
                                        std::string_view processor) {
  return {device == DeviceKind::cpu && shipped.processor == processor, shared_beginning(device_name(shipped), name)};
}

/// The shipped calibration for a device of this name and kind, or else of the most similar name.
Result<Calibration> shipped(DeviceKind device, std::string_view name, std::string_view processor) {
  std::optional<Calibration> best;
  std::pair<bool, std::ptrdiff_t> best_fitness;
  for (const ShippedCalibration& each : shipped_calibrations()) {
    if (!each.name.starts_with(enum_name(device))) continue;
    SPRESS_TRY(const auto record, parse(each.text, "shipped", device));
    const auto here = fitness(record.machine, device, name, processor);
    if (best && here <= best_fitness) continue;
    best = calibration_of(record, "shipped");
    best_fitness = here;
  }
  if (best) return std::move(*best);
  return Error{ErrorCode::not_found, "no calibration for " + std::string(enum_name(device)) +
                                         " was shipped: run spress calibrate --device " +
                                         std::string(enum_name(device))};
}

CostPrices prices_of(const reports::Ordered<double>& named) {
  CostPrices prices = {};
  for (std::size_t t = 0; t < cost_terms; ++t)
    for (const auto& [name, seconds] : named)
      if (name == cost_term_name(t)) prices[t] = seconds;
  return prices;
}

FormatPrices prices_of(const reports::FormatPricesRecord& format) {
  FormatPrices out{format.format, format.type, prices_of(format.prices), format.offset};
  for (const auto& weights : format.weights)
    if (const auto store = enum_named<StoreKind>(weights.values))
      for (std::size_t k = 0; k < weights.matrix.size(); ++k)
        out.weights[static_cast<std::size_t>(*store)].push_back({static_cast<std::uint32_t>(weights.matrix[k]),
                                                                 weights.padding.empty() ? 0 : weights.padding[k],
                                                                 weights.weight[k]});
  return out;
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
  Calibration out = calibration_of(record, file.string());
  out.digest = digest_of(text);
  return out;
}

std::string device_name(const reports::MachineRecord& machine) {
  return machine.driver ? machine.device : machine.machine;
}

Result<Calibration> load_calibration(DeviceKind device, std::string_view name, std::string_view processor) {
  std::error_code ignored;
  const fs::path file = calibration_file(device);
  if (!file.empty() && fs::exists(file, ignored)) return read_calibration(file, device);
  return shipped(device, name, processor);
}

Result<Calibration> calibration_here(DeviceKind device) {
  const auto machine = machine_record(1, device);
  return load_calibration(device, device_name(machine), machine.processor);
}

Status check_goal(Goal goal, const Calibration& calibration) {
  if (goal != Goal::transfer || calibration.model.link_bytes_per_second > 0) return Ok{};
  return Error{ErrorCode::usage,
               "no transfer can be predicted: the calibration in use (" + calibration.source +
                   ") has no link to a GPU; choose for the GPU (--device cuda), and run 'spress calibrate --device "
                   "cuda' on its machine"};
}

Result<io::OutputFile> create_calibration(const fs::path& file) {
  std::error_code ignored;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), ignored);  // creating the file tells why not
  return io::OutputFile::create(file);
}

Status write_calibration(const reports::CalibrationRecord& record, io::OutputFile file) {
  const std::string text = reports::to_json_line(record) + "\n";
  SPRESS_CHECK(file.write(text.data(), text.size()));
  return file.commit();
}

CostModel cost_model(const reports::CalibrationRecord& record) {
  CostModel model;
  model.cache_bytes = static_cast<double>(record.cache_bytes);
  if (std::isfinite(record.link_gb_per_s)) model.link_bytes_per_second = 1e9 * record.link_gb_per_s;
  if (std::isfinite(record.link_seconds)) model.link_seconds = record.link_seconds;
  for (const auto& place : record.places) std::copy(place.begin(), place.end(), model.places.emplace_back().begin());
  for (const auto& each : record.formats) model.formats.push_back(prices_of(each));
  return model;
}

}  // namespace spress::pipeline
