# spress::deps::fmt. The tool must run on other machines, and Debian has fmt as a shared library only, or as headers that
# compile all of it into every source that uses it, for seconds each. So it is compiled once, in compiled_once.cpp; versions
# for which that is not enough are compiled into every source.
find_package(fmt REQUIRED)
add_library(spress_deps_fmt INTERFACE IMPORTED GLOBAL)
add_library(spress::deps::fmt ALIAS spress_deps_fmt)

set(CMAKE_TRY_COMPILE_TARGET_TYPE EXECUTABLE)  # a library would link nothing
get_target_property(include fmt::fmt-header-only INTERFACE_INCLUDE_DIRECTORIES)
try_compile(SPRESS_FMT_ONCE ${PROJECT_BINARY_DIR}/fmt_check
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/compiled_once.cpp ${CMAKE_CURRENT_LIST_DIR}/check.cpp
            CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${include}" CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
if(NOT SPRESS_FMT_ONCE)
  target_link_libraries(spress_deps_fmt INTERFACE fmt::fmt-header-only)
  return()
endif()
add_library(spress_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/compiled_once.cpp)
target_include_directories(spress_fmt SYSTEM PRIVATE ${include})
target_link_libraries(spress_fmt PRIVATE spress_options)
# Clang leaves out a destructor that does no more than that of the base class; others still call it by its name.
target_compile_options(spress_fmt PRIVATE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -mno-constructor-aliases>")
set_property(GLOBAL APPEND PROPERTY SPRESS_LIBRARIES spress_fmt)
target_include_directories(spress_deps_fmt SYSTEM INTERFACE ${include})
target_link_libraries(spress_deps_fmt INTERFACE spress_fmt)
