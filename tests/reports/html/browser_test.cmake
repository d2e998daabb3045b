# Opens a report in headless Chromium; skipped, saying so, where there is none.
add_executable(write_report ${CMAKE_CURRENT_LIST_DIR}/browser/write_report.cpp ${CMAKE_CURRENT_LIST_DIR}/../sample.cpp
               ${CMAKE_CURRENT_LIST_DIR}/../sample_figures.cpp)
target_include_directories(write_report PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(write_report PRIVATE spress_reports spress_options)
find_package(Python3 COMPONENTS Interpreter)
if(Python3_Interpreter_FOUND)
  add_test(NAME reports.browser COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/browser_test.py
           $<TARGET_FILE:write_report>)
  set_tests_properties(reports.browser PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300 LABELS browser)
endif()
