# The packages that compiled spress libraries need at link time, as targets spress::deps::NAME. Used by the build itself
# and, installed beside spressConfig.cmake, by programs that link the library. Debian ships these without CMake files, so
# they are found by header and library.
#
# spress_dependency(NAME HEADER file [SUFFIXES folder...] [LIBRARY name] [USES target...]): fails unless found. With
# SPRESS_STATIC the static library is taken where there is one; SPRESS_SHARED_DEPENDENCIES collects the others.
function(spress_dependency name)
  cmake_parse_arguments(ARG "" "HEADER;LIBRARY" "SUFFIXES;USES" ${ARGN})
  if(TARGET spress_deps_${name})
    return()
  endif()
  find_path(SPRESS_${name}_INCLUDE ${ARG_HEADER} PATH_SUFFIXES ${ARG_SUFFIXES})
  mark_as_advanced(SPRESS_${name}_INCLUDE)
  if(NOT SPRESS_${name}_INCLUDE)
    message(FATAL_ERROR "spress needs ${name}: the header ${ARG_HEADER} was not found (set SPRESS_${name}_INCLUDE)")
  endif()
  add_library(spress_deps_${name} INTERFACE IMPORTED GLOBAL)
  add_library(spress::deps::${name} ALIAS spress_deps_${name})
  if(NOT SPRESS_${name}_INCLUDE IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    target_include_directories(spress_deps_${name} SYSTEM INTERFACE ${SPRESS_${name}_INCLUDE})
  endif()
  if(NOT ARG_LIBRARY)
    return()
  endif()

  set(names ${ARG_LIBRARY})
  if(SPRESS_STATIC)
    list(PREPEND names ${CMAKE_STATIC_LIBRARY_PREFIX}${ARG_LIBRARY}${CMAKE_STATIC_LIBRARY_SUFFIX})
  endif()
  find_library(SPRESS_${name}_LIBRARY NAMES ${names} NAMES_PER_DIR)
  mark_as_advanced(SPRESS_${name}_LIBRARY)
  if(NOT SPRESS_${name}_LIBRARY)
    message(FATAL_ERROR "spress needs ${name}: the library ${ARG_LIBRARY} was not found (set SPRESS_${name}_LIBRARY)")
  endif()
  if(SPRESS_STATIC AND NOT SPRESS_${name}_LIBRARY MATCHES "\\${CMAKE_STATIC_LIBRARY_SUFFIX}$")
    set_property(GLOBAL APPEND PROPERTY SPRESS_SHARED_DEPENDENCIES ${name})
  endif()
  target_link_libraries(spress_deps_${name} INTERFACE ${SPRESS_${name}_LIBRARY} ${ARG_USES})
endfunction()

spress_dependency(zlib HEADER zlib.h LIBRARY z)
spress_dependency(zstd HEADER zstd.h LIBRARY zstd)
# Reading tar, gzip and zstd takes only those members of a static libarchive that need zlib and zstd.
spress_dependency(archive HEADER archive.h LIBRARY archive USES spress_deps_zstd spress_deps_zlib)
if(SPRESS_WITH_SCOTCH)
  spress_dependency(scotch HEADER scotch.h SUFFIXES scotch LIBRARY scotch USES Threads::Threads)
endif()
