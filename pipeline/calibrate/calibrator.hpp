// Makes a calibration of measured products.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "encode/choose/cost_fit.hpp"
#include "formats/core/matrix.hpp"
#include "pipeline/device/machine.hpp"
#include "reports/records/calibration_record.hpp"

namespace spress::pipeline {

/// Collects the products of records of `bench`, and fits a cost model to them.
class Calibrator {
 public:
  Calibrator(DeviceKind device, std::uint64_t cache_bytes, int threads = 0);

  /// Takes the correct rows of `record`, except those of other libraries and of matrices streamed to the GPU. `matrix`
  /// is the measured one. Errors: usage if the record is of another matrix, or of several processes.
  [[nodiscard]] Status add(const Matrix& matrix, const reports::BenchRecord& record);

  /// Fits the formats that were measured often enough. Machine and link are left to the caller.
  /// Errors: not_applicable if there are none.
  [[nodiscard]] Result<reports::CalibrationRecord> finish() const;

 private:
  struct MeasuredFormat {
    std::string format, type;
    std::vector<MeasuredProduct> products = {};
  };
  struct MeasuredMatrix {
    std::string path, type;
    MatrixWork work;
  };
  std::uint32_t place_of(const Csr<Viewed>& a, const std::string& path, const std::string& type);
  MeasuredFormat& format(const std::string& text, const std::string& type);
  [[nodiscard]] double least_launch(const MeasuredFormat& measured) const;
  void fit(const MeasuredFormat& measured, reports::CalibrationRecord& record) const;

  DeviceKind device_;
  double cache_bytes_;
  int threads_;
  std::vector<MeasuredMatrix> matrices_;
  std::vector<Likeness> places_;  // of the matrices
  std::vector<MeasuredFormat> formats_;
};

/// Measures the way to the GPU. Errors: those of wire_to_gpu.
[[nodiscard]] Status measure_link(reports::CalibrationRecord& record);

/// The matrices that `spress calibrate` measures by default: many kinds, within the cache and beyond.
[[nodiscard]] std::vector<std::string> calibration_inputs(DeviceKind device);

/// Every format of the list, and each choice of its parameters.
[[nodiscard]] std::vector<Spec> calibration_formats();

}  // namespace spress::pipeline
