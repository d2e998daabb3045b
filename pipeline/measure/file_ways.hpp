// The ways of a matrix from a file to the device. Private to transfer_file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include "formats/core/result.hpp"
#include "pipeline/measure/parcel.hpp"

namespace spress::pipeline {

/// Where the time of the threads goes.
struct Stages {
  double read = 0, decode = 0, copy = 0;
};

/// What is run, and where the time of its last run went.
class Way {
 public:
  virtual ~Way() = default;
  [[nodiscard]] virtual Status run() = 0;
  [[nodiscard]] virtual Stages spent() const = 0;
};

/// A file of CSR's arrays, packed as in the landing, in pieces. The file is open for as long as the way is there.
/// Errors: too_large; unsupported.
[[nodiscard]] Result<std::unique_ptr<Way>> plain_way(Wire& wire, int file, const Landing& landing, int threads);

/// A .spress file whose blocks hold all entries of their rows, block by block; null for others. Errors: those of
/// MatrixFileStream::open; as above.
[[nodiscard]] Result<std::unique_ptr<Way>> block_way(Wire& wire, const std::filesystem::path& path,
                                                     const Landing& landing, int threads);

/// Any .spress file of version 2, of `bytes` bytes: all is read, then decoded, then copied.
[[nodiscard]] std::unique_ptr<Way> whole_way(Wire& wire, int file, std::size_t bytes, const Landing& landing,
                                             int threads);

}  // namespace spress::pipeline
