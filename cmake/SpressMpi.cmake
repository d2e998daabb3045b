# libspress_mpi.so: what the tool loads when mpirun or srun started it as several processes (docs/scale.md).
include(GNUInstallDirs)
set(SPRESS_PLUGINS ${CMAKE_INSTALL_LIBDIR}/spress)  # below the prefix
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_BINDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE bindir)
cmake_path(ABSOLUTE_PATH SPRESS_PLUGINS BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE plugins)
file(RELATIVE_PATH plugins_from_program ${bindir} ${plugins})
target_compile_definitions(spress_pipeline PRIVATE SPRESS_PLUGINS_FROM_PROGRAM="${plugins_from_program}")

spress_optional(MPI "Runs over several processes")
set(SPRESS_WITH_MPI OFF)
set(SPRESS_MPI_STATE "none (SPRESS_MPI=OFF)")
if(SPRESS_MPI STREQUAL "OFF" OR SPRESS_SANITIZE)  # MPI's libraries are not sanitized
  return()
endif()

set(SPRESS_MPI_STATE "none: MPI's development files were not found")
find_package(MPI QUIET COMPONENTS CXX)
if(MPI_CXX_FOUND)
  set(SPRESS_WITH_MPI ON)
  set(SPRESS_MPI_STATE "MPI ${MPI_CXX_VERSION}: libspress_mpi.so")
elseif(SPRESS_MPI STREQUAL "ON")
  message(FATAL_ERROR "SPRESS_MPI=ON, but there is ${SPRESS_MPI_STATE}")
endif()

if(SPRESS_WITH_MPI)
  add_library(spress_mpi MODULE ${PROJECT_SOURCE_DIR}/pipeline/ranks/mpi/mpi_functions.cpp)
  target_include_directories(spress_mpi PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(spress_mpi PRIVATE spress_options MPI::MPI_CXX)
  set_target_properties(spress_mpi PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})  # beside the tool
endif()
