#include "pipeline/version.hpp"

#include <spress_version.hpp>

namespace spress::pipeline {

reports::ToolRecord tool_record() { return {SPRESS_VERSION, SPRESS_COMMIT}; }

}  // namespace spress::pipeline
