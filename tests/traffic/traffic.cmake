# Counts what the product of amb loads and stores: its source is compiled once more as ThreadSanitizer instruments it,
# and linked with a counter instead of the sanitizer (memory_trace.hpp). The counted code comes first on the linker's
# line, so that of templates that other objects hold too, the counted ones are taken; the kernels' library is left out.
if(SPRESS_SANITIZE)
  return()  # one instrumentation at a time
endif()
add_library(amb_traced OBJECT ${PROJECT_SOURCE_DIR}/kernels/cpu/amb/amb.cpp)
target_include_directories(amb_traced PRIVATE ${PROJECT_SOURCE_DIR})
# clang-tidy checks the product as the kernels' library compiles it.
set_target_properties(amb_traced PROPERTIES EXPORT_COMPILE_COMMANDS OFF)
target_compile_definitions(amb_traced PRIVATE SPRESS_ISA_LEVEL=0)
target_link_libraries(amb_traced PRIVATE spress_options OpenMP::OpenMP_CXX)
# Neither vectors nor calls of memset: each access is seen by itself.
target_compile_options(amb_traced PRIVATE -fsanitize=thread -O2 -fno-tree-vectorize -fno-builtin
  $<$<CXX_COMPILER_ID:GNU>:-fno-tree-loop-distribute-patterns> $<$<CXX_COMPILER_ID:Clang>:-fno-slp-vectorize>)
add_executable(test_traffic $<TARGET_OBJECTS:amb_traced> ${CMAKE_CURRENT_LIST_DIR}/memory_trace.cpp
               ${CMAKE_CURRENT_LIST_DIR}/amb_traffic_test.cpp)
target_include_directories(test_traffic PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(test_traffic PRIVATE GTest::gtest_main spress_encode spress_gallery spress_options
                      spress::deps::fmt OpenMP::OpenMP_CXX)
gtest_discover_tests(test_traffic TEST_PREFIX traffic. DISCOVERY_TIMEOUT 60
                     PROPERTIES ENVIRONMENT OMP_WAIT_POLICY=passive)
