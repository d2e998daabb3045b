// The ways of a matrix from a file to the device. Private to transfer_file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include "formats/core/result.hpp"
#include "formats/io/bytes/input_file.hpp"
#include "pipeline/measure/parcel.hpp"

namespace spress::pipeline {

/// Seconds of a run, by what they were spent on.
struct Stages {
  double read = 0, decode = 0, copy = 0;
};

/// A way that can be run again and again.
class Way {
 public:
  virtual ~Way() = default;
  [[nodiscard]] virtual Status run() = 0;
  /// The seconds of the last run. They are the mean of its threads where each of them reads, decodes and copies, else
  /// the time on the clock.
  [[nodiscard]] virtual Stages spent() const = 0;
};

/// A file of CSR's arrays, packed as in the landing, in pieces. The file and the landing must outlive the way, also
/// below. Errors: too_large; unsupported.
[[nodiscard]] Result<std::unique_ptr<Way>> plain_way(Wire& wire, const io::InputFile& file, const Landing& landing,
                                                     int threads);

/// A .spress file whose blocks hold all entries of their rows, block by block; null for others. Errors: those of
/// MatrixFileStream::open; unreadable where it is not the matrix of the landing, also in a run; as above.
[[nodiscard]] Result<std::unique_ptr<Way>> block_way(Wire& wire, const std::filesystem::path& path,
                                                     const Landing& landing, int threads);

/// Any .spress file of version 2: all is read, then decoded, then copied.
[[nodiscard]] std::unique_ptr<Way> whole_way(Wire& wire, const io::InputFile& file, const Landing& landing,
                                             int threads);

}  // namespace spress::pipeline
