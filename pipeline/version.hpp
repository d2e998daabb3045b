#pragma once

#include "reports/records/records.hpp"

namespace spress::pipeline {

/// Version and commit of this build.
[[nodiscard]] reports::ToolRecord tool_record();

}  // namespace spress::pipeline
