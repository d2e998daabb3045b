# Puts pipeline/calibrate/calibrations/<kind>-<device>.json, which `spress calibrate` wrote, into the program as string
# literals. <kind>: cpu or cuda.
file(GLOB calibrations CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/pipeline/calibrate/calibrations/*.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${calibrations})
set(calibration_texts "")
foreach(file IN LISTS calibrations)
  file(READ ${file} content)
  cmake_path(GET file STEM name)
  string(APPEND calibration_texts "    {\"${name}\"sv, R\"spress_json(${content})spress_json\"sv},\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/calibrations/shipped.cpp @ONLY CONTENT
     "// Written by SpressCalibrations.cmake.
#include \"pipeline/calibrate/shipped_calibrations.hpp\"

namespace spress::pipeline {
namespace {
using namespace std::string_view_literals;  // which know the length: compilers count only so far
constexpr ShippedCalibration calibrations[] = {
@calibration_texts@};
}  // namespace
std::span<const ShippedCalibration> shipped_calibrations() { return calibrations; }
}  // namespace spress::pipeline
")
target_sources(spress_pipeline PRIVATE ${PROJECT_BINARY_DIR}/calibrations/shipped.cpp)
