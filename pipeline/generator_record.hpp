#pragma once

#include <optional>

#include "formats/core/matrix.hpp"
#include "reports/records/records.hpp"

namespace spress::pipeline {

/// The generator of a matrix, for its record; nothing for a matrix from a file.
[[nodiscard]] std::optional<reports::GeneratorRecord> generator_record(const MatrixInfo& info);

}  // namespace spress::pipeline
