# libpetsc_spress.so: a matrix type for programs of PETSc, which load it by an option (docs/petsc.md).
spress_optional(PETSC "The matrix type for PETSc")
set(SPRESS_WITH_PETSC OFF)
set(SPRESS_PETSC_STATE "none (SPRESS_PETSC=OFF)")
if(SPRESS_PETSC STREQUAL "OFF" OR SPRESS_SANITIZE)  # a sanitized library cannot be loaded into PETSc's programs
  return()
endif()

set(SPRESS_PETSC_STATE "none: PETSc's development files were not found")
find_package(PkgConfig QUIET)
find_package(MPI QUIET COMPONENTS CXX)
if(PKG_CONFIG_FOUND AND MPI_CXX_FOUND)
  pkg_check_modules(PETSc QUIET IMPORTED_TARGET PETSc>=3.18)
endif()
if(TARGET PkgConfig::PETSc)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES PkgConfig::PETSc MPI::MPI_CXX)
  set(CMAKE_REQUIRED_QUIET ON)
  check_cxx_source_compiles("#include <petsc/private/matimpl.h>
    #if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
    #error real double numbers are needed
    #endif
    int main() { return 0; }" SPRESS_PETSC_COMPILES)
  if(SPRESS_PETSC_COMPILES)
    set(SPRESS_WITH_PETSC ON)
    set(SPRESS_PETSC_STATE "PETSc ${PETSc_VERSION}: libpetsc_spress.so")
  else()
    set(SPRESS_PETSC_STATE "none: PETSc ${PETSc_VERSION} has other numbers than real doubles, or not all of its headers")
  endif()
endif()
if(SPRESS_PETSC STREQUAL "ON" AND NOT SPRESS_WITH_PETSC)
  message(FATAL_ERROR "SPRESS_PETSC=ON, but there is ${SPRESS_PETSC_STATE}")
endif()

if(SPRESS_WITH_PETSC)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/pipeline/interface/petsc/*.cpp)
  add_library(petsc_spress MODULE ${sources})
  target_include_directories(petsc_spress PRIVATE ${PROJECT_SOURCE_DIR} ${spress_public})
  target_link_libraries(petsc_spress PRIVATE spress_shared PkgConfig::PETSc MPI::MPI_CXX)
  set_target_properties(petsc_spress PROPERTIES INSTALL_RPATH "\$ORIGIN")  # libspress.so is installed beside it
endif()
