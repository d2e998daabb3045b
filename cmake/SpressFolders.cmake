# spress_folder(NAME DIR dir [APART dir...] [FOR_EACH_ISA dir] [USES name...]): the library spress_NAME from all sources
# and headers below DIR, except those below the folders of APART, which are libraries of their own or none. Sources below
# FOR_EACH_ISA are compiled once for each instruction set
# (kernels/cpu/simd/target.hpp). USES states the one-way dependencies of the design; tests/house/check_includes.py holds the
# includes to the same table. Every header must compile by itself. A source begins with its own header
# (check_includes.py): ./dev lint, which looks at each source alone, proves that one. The target
# all_verify_interface_header_sets compiles those without a source.
set(CMAKE_VERIFY_INTERFACE_HEADER_SETS ${SPRESS_BUILD_TESTS})

set(spress_isa_levels 0)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(spress_isa_levels 0 1 2)  # portable, avx2, avx512
endif()

# spress_for_each_isa(NAME SOURCES OUT): the objects of the sources, compiled for each instruction set.
function(spress_for_each_isa name sources out)
  set(objects)
  foreach(level IN LISTS spress_isa_levels)
    set(library spress_${name}_isa${level})
    add_library(${library} OBJECT ${sources})
    target_compile_definitions(${library} PRIVATE SPRESS_ISA_LEVEL=${level})
    target_include_directories(${library} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${library} PRIVATE spress_options OpenMP::OpenMP_CXX)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
      # GCC bug 105593: its own intrinsics read registers that they call undefined.
      target_compile_options(${library} PRIVATE -Wno-uninitialized -Wno-maybe-uninitialized)
    endif()
    spress_not_optimised(${library})
    list(APPEND objects $<TARGET_OBJECTS:${library}>)
  endforeach()
  set(${out} ${objects} PARENT_SCOPE)
endfunction()

# spress_files(OUT BASE APART PATTERN...): the files below the folder BASE whose names match, without those below the
# folders of APART.
function(spress_files out base apart)
  list(TRANSFORM ARGN PREPEND ${base}/ OUTPUT_VARIABLE patterns)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${patterns})
  foreach(dir IN LISTS apart)
    list(FILTER found EXCLUDE REGEX "^${base}/${dir}/")
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# spress_join_rooms(TARGET SOURCE...): the C++ sources of a folder become one unit of the compiler, which parses the headers
# that they share once. That halves their time. These stay apart: CUDA sources, sources with options of their own, and folders
# that hold several formats, where each source names its own `Params`.
function(spress_join_rooms target)
  if(NOT SPRESS_JOIN_ROOMS)
    return()
  endif()
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH room)
    cmake_path(RELATIVE_PATH room BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    if(source MATCHES "\\.cpp$" AND NOT room MATCHES "/(csr|coo|padded|bitmap)$")
      string(REPLACE "/" "_" room ${room})
      set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${room})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC takes a source that another one includes for a header, where names without linkage would be a mistake.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
  endif()
endfunction()

function(spress_folder name)
  cmake_parse_arguments(ARG "" "DIR;FOR_EACH_ISA" "APART;USES" ${ARGN})
  set(base ${PROJECT_SOURCE_DIR}/${ARG_DIR})
  spress_files(headers ${base} "${ARG_APART}" *.hpp)
  spress_files(sources ${base} "${ARG_APART}" *.cpp)
  list(TRANSFORM sources REPLACE "cpp$" "hpp" OUTPUT_VARIABLE proven)
  list(REMOVE_ITEM headers ${proven})
  spress_files(sources ${base} "${ARG_APART};${ARG_FOR_EACH_ISA}" *.cpp *.cu)
  set(shared ${sources})
  if(ARG_FOR_EACH_ISA)
    spress_files(found ${base}/${ARG_FOR_EACH_ISA} "" *.cpp)
    spress_for_each_isa(${name} "${found}" found)
    list(APPEND sources ${found})
  endif()
  if(NOT sources)
    message(FATAL_ERROR "spress_${name}: no sources in ${ARG_DIR}")
  endif()
  add_library(spress_${name} STATIC ${sources})
  add_library(spress::${name} ALIAS spress_${name})
  set_target_properties(spress_${name} PROPERTIES EXPORT_NAME ${name})
  target_sources(spress_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers})
  target_compile_features(spress_${name} PUBLIC cxx_std_20)
  target_link_libraries(spress_${name} PRIVATE $<BUILD_INTERFACE:spress_options>)
  spress_parse_once(spress_${name})
  spress_join_rooms(spress_${name} ${shared})
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(spress_${name} PUBLIC spress_${used})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY SPRESS_LIBRARIES spress_${name})
endfunction()
