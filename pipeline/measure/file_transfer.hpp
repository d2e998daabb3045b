// The way of a matrix from a .spress file to the device, beside that from a file of CSR's arrays.
#pragma once

#include <filesystem>
#include <optional>

#include "formats/core/result.hpp"
#include "pipeline/device/wire.hpp"
#include "pipeline/measure/pairing.hpp"
#include "reports/records/transfer_record.hpp"

namespace spress::pipeline {

struct FileTransferOptions {
  bool cold = false;  ///< the system is told to drop the files from memory before each run
  int threads = 0;    ///< 0: OpenMP's default
  Pairing pairing = {.seconds = 0.1};
};

/// Brings the matrix of a file to the device, as CSR with raw values: each thread reads a block, decodes it into
/// page-locked memory of its own and copies it, then takes the next one. Of a file that holds one triangle all is read,
/// then all is decoded, then all is copied. In turn with it, a file of CSR's arrays, which is written beside it for
/// that and removed, is read and copied in pieces by as many threads; where it cannot be written, its row says why.
/// Memory at both ends is there before the clock starts. What arrives is compared with what read_container reads,
/// before and after. Returns nothing for files of version 1. Errors: those of read_container; too_large; unsupported
/// where the system does not drop the file.
[[nodiscard]] Result<std::optional<reports::FileTransferRecord>> transfer_file(const std::filesystem::path& path,
                                                                               const FileTransferOptions& options,
                                                                               Wire& wire);

}  // namespace spress::pipeline
