# Flags that hold for every target, and ccache where it is found.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# No -march: the tool must run on any machine of a kind. No contraction to fused multiply-adds either: the same input
# gives the same bits on every processor and with every compiler. Plain char is signed on x86-64, but not on ARM.
add_library(spress_options INTERFACE)
target_compile_options(spress_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wconversion -Wno-sign-conversion -ffp-contract=off -fsigned-char>
  # Sources compiled together may shadow each other's names; ./dev lint looks at each alone.
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>>:-Wshadow>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-ffp-contract=off,-fsigned-char --expt-relaxed-constexpr --extended-lambda>)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  target_compile_options(spress_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)  # GCC bug 105651
endif()

option(SPRESS_WERROR "Treat warnings as errors" OFF)
if(SPRESS_WERROR)
  set(CMAKE_COMPILE_WARNING_AS_ERROR ON)
endif()

option(SPRESS_JOIN_ROOMS "Compile the sources of a folder together, which takes half the time for all of them" ON)

set(SPRESS_SANITIZE "" CACHE STRING "Sanitizers, as in -fsanitize=")
if(SPRESS_SANITIZE)
  # For the whole tree, not by target: a program part of whose code is not instrumented reports what is not there.
  add_compile_options(-fsanitize=${SPRESS_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SPRESS_SANITIZE})
  if(SPRESS_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
    add_link_options(-fno-sanitize-recover=undefined)
  endif()
  set(SPRESS_STATIC OFF)
endif()

# Sanitized builds by Clang, which CI makes, share the standard headers, precompiled, and do not optimise kernels and
# tests. That halves their time. Release builds check the optimised kernels, ./dev lint the includes.
set(spress_compile_quickly OFF)
if(SPRESS_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(spress_compile_quickly ON)
endif()

# spress_parse_once(TARGET HEADER...): precompiles the standard headers, and HEADER..., for the target's sources.
function(spress_parse_once target)
  if(spress_compile_quickly)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <complex> <cstdint> <cstring> <filesystem> <fstream>
      <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <random> <set> <span> <sstream> <string>
      <string_view> <thread> <tuple> <unordered_map> <utility> <variant> <vector> ${ARGN})
  endif()
endfunction()

# spress_not_optimised(TARGET): for kernels and tests. When it optimises and sanitizes, Clang 14 also leaves a RegisterTable
# (kernels/cpu/simd/simd_steps.hpp) unaligned that is passed by value, and the product ends with a signal.
function(spress_not_optimised target)
  if(spress_compile_quickly)
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

find_program(SPRESS_CCACHE ccache)
mark_as_advanced(SPRESS_CCACHE)
if(SPRESS_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(launcher ${SPRESS_CCACHE})
  if(NOT DEFINED ENV{CCACHE_BASEDIR})
    # Paths are cached relative to the tree, so that another clone finds what this one compiled without debug information.
    set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${SPRESS_CCACHE})
  endif()
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

# Code that reads options, writes reports or leaves the work to others is compiled for size, not for speed.
set(spress_small_option $<$<AND:$<CONFIG:Release>,$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>>:-Os>)

# spress_small(TARGET...): all sources of the targets are compiled for size.
function(spress_small)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE ${spress_small_option})
  endforeach()
endfunction()

# spress_small_folders(DIR...): all sources below the folders are compiled for size.
function(spress_small_folders)
  foreach(dir IN LISTS ARGN)
    spress_files(sources ${PROJECT_SOURCE_DIR}/${dir} "" *.cpp)
    set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS ${spress_small_option})
  endforeach()
endfunction()
