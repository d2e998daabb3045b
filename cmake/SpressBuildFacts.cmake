# <spress_build.hpp> of the target spress_version: what CMake decided about this build, for `spress --version`.
function(spress_build_fact name state)
  if("${state}" STREQUAL "")
    set(state none)
  endif()
  string(REPLACE "\\" "\\\\" state "${state}")
  string(REPLACE "\"" "\\\"" state "${state}")
  set(facts "${facts}    {\"${name}\", \"${state}\"},\n" PARENT_SCOPE)
endfunction()

set(facts "")
spress_build_fact(compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}, ${CMAKE_BUILD_TYPE}")
set(isas portable avx2 avx512)
set(built)
foreach(level IN LISTS spress_isa_levels)
  list(GET isas ${level} isa)
  list(APPEND built ${isa})
endforeach()
list(JOIN built ", " built)
spress_build_fact("instruction sets" "${built}")
if(SPRESS_WITH_CUDA)
  list(JOIN CMAKE_CUDA_ARCHITECTURES ", " architectures)
  spress_build_fact(CUDA "${CMAKE_CUDA_COMPILER_VERSION} for ${architectures}")
else()
  spress_build_fact(CUDA none)
endif()
set(compressions gzip zstd ${SPRESS_ARCHIVE_FEATURES})
list(TRANSFORM compressions TOLOWER)
list(JOIN compressions ", " compressions)
spress_build_fact(compressions "${compressions}")
if(SPRESS_WITH_SCOTCH)
  spress_build_fact(Scotch "${SPRESS_SCOTCH_VERSION}")
else()
  spress_build_fact(Scotch none)
endif()
set(peers ${SPRESS_MKL_NAME} ${SPRESS_EIGEN_STATE} ${SPRESS_CUSPARSE_NAME})
list(JOIN peers ", " peers)
spress_build_fact(peers "${peers}")
if(SPRESS_WITH_MPI)
  spress_build_fact(MPI "${MPI_CXX_VERSION}, by libspress_mpi.so")
else()
  spress_build_fact(MPI none)
endif()
set(file_libraries)
if(SPRESS_WITH_HDF5)
  file(STRINGS ${SPRESS_hdf5_INCLUDE}/H5public.h line REGEX "^#define H5_VERS_INFO")
  string(REGEX MATCH "[0-9]+[.][0-9.]+" version "${line}")
  list(APPEND file_libraries "HDF5 ${version}")
endif()
list(JOIN file_libraries ", " file_libraries)
spress_build_fact("file libraries" "${file_libraries}")
if(charts_folder)
  spress_build_fact(charts "built in")
else()
  spress_build_fact(charts none)
endif()

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/spress_build.hpp @ONLY CONTENT "// Written by SpressBuildFacts.cmake.
#pragma once
#include <string_view>

namespace spress::build {
struct Fact {
  std::string_view name, state;
};
inline constexpr Fact facts[] = {
@facts@};
}  // namespace spress::build
")
