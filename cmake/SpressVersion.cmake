# The target spress_version: a header <spress_version.hpp> with SPRESS_VERSION and SPRESS_COMMIT (empty outside a git
# checkout, with "-dirty" where tracked files differ from it), looked at on every build and rewritten only if it changed.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(generated ${PROJECT_BINARY_DIR}/generated)
  find_package(Git QUIET)
  add_custom_target(spress_version_header
    COMMAND ${CMAKE_COMMAND} -DGIT=${GIT_EXECUTABLE} -DSOURCE=${PROJECT_SOURCE_DIR} -DVERSION=${PROJECT_VERSION}
            -DHEADER=${generated}/spress_version.hpp -P ${CMAKE_CURRENT_LIST_FILE}
    BYPRODUCTS ${generated}/spress_version.hpp COMMENT "" VERBATIM)
  add_library(spress_version INTERFACE)
  target_include_directories(spress_version INTERFACE ${generated})
  add_dependencies(spress_version spress_version_header)
  return()
endif()

cmake_minimum_required(VERSION 3.25)
set(commit "")
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --exclude=* --abbrev=12
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${HEADER} @ONLY CONTENT "// Generated.
#pragma once
#define SPRESS_VERSION \"@VERSION@\"
#define SPRESS_COMMIT \"@commit@\"
")
