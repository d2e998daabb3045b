# HDF5, for .h5, .h5ad and MATLAB's -v7.3 files: used where it is found, never required.
spress_optional(HDF5 "HDF5 files")

set(SPRESS_WITH_HDF5 OFF)
set(SPRESS_HDF5_USES)  # libraries that a static HDF5 needs and does not name, where they are there
if(SPRESS_HDF5 STREQUAL "OFF")
  set(SPRESS_HDF5_STATE "off (SPRESS_HDF5=OFF)")
else()
  find_path(SPRESS_hdf5_INCLUDE hdf5.h PATH_SUFFIXES hdf5/serial)
  set(names hdf5_serial hdf5)  # Debian's name, everybody else's
  if(SPRESS_STATIC)
    list(PREPEND names libhdf5_serial.a libhdf5.a)
    spress_find_static(SPRESS_HDF5_USES sz aec)
  endif()
  find_library(SPRESS_hdf5_any_LIBRARY NAMES ${names} NAMES_PER_DIR)
  mark_as_advanced(SPRESS_hdf5_INCLUDE SPRESS_hdf5_any_LIBRARY)
  if(NOT SPRESS_hdf5_INCLUDE OR NOT SPRESS_hdf5_any_LIBRARY)
    set(SPRESS_HDF5_STATE "no HDF5 files: the library was not found")
  else()
    set(SPRESS_WITH_HDF5 ON)
    string(REGEX REPLACE "^.*/lib([^/.]*)\\..*$" "\\1" SPRESS_HDF5_LIBRARY ${SPRESS_hdf5_any_LIBRARY})
  endif()
endif()

# spress_check_hdf5(): tries whether it links, and sets SPRESS_WITH_HDF5 and SPRESS_HDF5_STATE.
function(spress_check_hdf5)
  if(SPRESS_WITH_HDF5)
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_LIBRARIES spress_deps_hdf5)
    set(CMAKE_REQUIRED_QUIET ON)
    check_cxx_source_compiles("#include <hdf5.h>
      #if !H5_VERSION_GE(1, 10, 0)
      #error too old
      #endif
      int main() { return H5Fopen(\"\", 0, 0) < 0; }" SPRESS_HDF5_LINKS)
    if(SPRESS_HDF5_LINKS)
      set(SPRESS_HDF5_STATE "HDF5 files" PARENT_SCOPE)
    else()
      set(SPRESS_WITH_HDF5 OFF PARENT_SCOPE)
      set(SPRESS_HDF5_STATE "no HDF5 files: ${SPRESS_hdf5_any_LIBRARY} does not link, or is older than 1.10" PARENT_SCOPE)
    endif()
  endif()
  if(SPRESS_HDF5 STREQUAL "ON" AND NOT (SPRESS_WITH_HDF5 AND SPRESS_HDF5_LINKS))
    message(FATAL_ERROR "SPRESS_HDF5=ON, but there are ${SPRESS_HDF5_STATE} (set SPRESS_hdf5_INCLUDE, SPRESS_hdf5_LIBRARY)")
  endif()
endfunction()
