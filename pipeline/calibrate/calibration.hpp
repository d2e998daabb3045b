// Where cost models come from: measured on this machine (`spress calibrate`), or shipped with the program.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "encode/choose/cost_model.hpp"
#include "formats/core/matrix.hpp"
#include "pipeline/device/machine.hpp"
#include "reports/records/calibration_record.hpp"

namespace spress::pipeline {

/// A model and where it is from, for records.
struct Calibration {
  CostModel model;
  std::string source;  ///< the file, or "shipped"
  std::string device;  ///< measured on: the processor or the GPU
};

/// Of this user, for a kind of device: $XDG_CACHE_HOME/spress/calibration-<kind>.json, else below $HOME/.cache; empty
/// where neither is set.
[[nodiscard]] std::filesystem::path calibration_file(DeviceKind device);

/// The user's where there is one, else the one shipped for the device of that name, else any shipped for the kind.
/// device_name: of the GPU, "" where there is none or it does not matter. Errors: unreadable, naming a damaged file.
[[nodiscard]] Result<Calibration> load_calibration(DeviceKind device, std::string_view device_name = {});

/// Errors: unreadable where the file is no calibration of that kind of device.
[[nodiscard]] Result<Calibration> read_calibration(const std::filesystem::path& file, DeviceKind device);

/// Complete or not at all; makes the folders of the way. Errors: unwritable.
[[nodiscard]] Status write_calibration(const reports::CalibrationRecord& record, const std::filesystem::path& file);

/// Terms that a record does not know, as those of a store that joined later, have no price.
[[nodiscard]] CostModel cost_model(const reports::CalibrationRecord& record);

/// Collects measured products, matrix by matrix, then fits prices to them.
class Calibrator {
 public:
  /// cache_bytes: of the device's last-level cache.
  Calibrator(DeviceKind device, std::uint64_t cache_bytes, int threads = 0);

  /// Takes the rows of `record` that were found right; the others, and those of other libraries, are skipped. `matrix`
  /// is the one measured, by one record or several. Errors: usage where the record is of another matrix.
  [[nodiscard]] Status add(const Matrix& matrix, const reports::BenchRecord& record);

  /// Prices of every format and type that has enough measurements. Machine, link and tool are left to the caller.
  /// Errors: not_applicable where nothing was measured.
  [[nodiscard]] Result<reports::CalibrationRecord> finish() const;

 private:
  std::uint64_t place_of(const Csr<Viewed>& a, const std::string& path, const std::string& type);
  reports::FormatPricesRecord& format(const std::string& text, const std::string& type);

  int threads_;
  reports::CalibrationRecord record_;
};

/// Measures the way to the GPU. Errors: those of wire_to_gpu.
[[nodiscard]] Status measure_link(reports::CalibrationRecord& record);

/// What is measured where nothing else is asked for: matrices of many kinds, within the cache and beyond.
[[nodiscard]] std::vector<std::string> calibration_inputs(DeviceKind device);

/// The formats of the list, and with other parameters those whose products differ by them.
[[nodiscard]] std::vector<Spec> calibration_formats();

}  // namespace spress::pipeline
