# Flags that hold for every target, and ccache where it is found.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_library(spress_options INTERFACE)
target_compile_options(spress_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion>)

set(SPRESS_SANITIZE "" CACHE STRING "Sanitizers, as in -fsanitize=")
if(SPRESS_SANITIZE)
  target_compile_options(spress_options INTERFACE -fsanitize=${SPRESS_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(spress_options INTERFACE -fsanitize=${SPRESS_SANITIZE})
endif()

find_program(SPRESS_CCACHE ccache)
if(SPRESS_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SPRESS_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${SPRESS_CCACHE})
endif()
