# The HTML report's page, and the chart libraries where they are, as data of spress_reports.
# The libraries are npm packages (package.json); nothing is fetched here: `npm ci` puts them into node_modules.
spress_optional(CHARTS "Charts in the HTML report")

set(chart_files vega/build/vega.min.js vega-lite/build/vega-lite.min.js vega-embed/build/vega-embed.min.js
                vega/LICENSE vega-lite/LICENSE vega-embed/LICENSE)

# The folder that holds every chart file, or NOTFOUND with what is missing in `missing`.
function(spress_find_charts result missing)
  set(${result} NOTFOUND PARENT_SCOPE)
  foreach(folder ${PROJECT_SOURCE_DIR}/node_modules ${PROJECT_BINARY_DIR}/node_modules)
    set(absent)
    foreach(file IN LISTS chart_files)
      if(NOT EXISTS ${folder}/${file})
        list(APPEND absent ${file})
      endif()
    endforeach()
    if(NOT absent)
      set(${result} ${folder} PARENT_SCOPE)
      return()
    endif()
    if(NOT DEFINED first_absent)
      list(GET absent 0 first_absent)
    endif()
  endforeach()
  set(${missing} node_modules/${first_absent} PARENT_SCOPE)
endfunction()

set(charts_folder NOTFOUND)
set(charts_reason "")
if(SPRESS_CHARTS STREQUAL "OFF")
  set(charts_reason "This program was built without charts (SPRESS_CHARTS=OFF).")
else()
  spress_find_charts(charts_folder charts_missing)
  if(NOT charts_folder)
    if(SPRESS_CHARTS STREQUAL "ON")
      message(FATAL_ERROR "SPRESS_CHARTS=ON, but ${charts_missing} is missing: run npm ci")
    endif()
    set(charts_reason "This program was built without the chart libraries: ${charts_missing} was missing. Run npm ci in the source folder, then configure and build again.")
  endif()
endif()
if(charts_folder)
  message(STATUS "spress: charts in the HTML report: from ${charts_folder}")
else()
  message(STATUS "spress: charts in the HTML report: none. ${charts_reason}")
endif()

# Copies, so that a node_modules taken away later starts a new configuration instead of breaking the build.
set(embedded)
file(GLOB page_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/reports/html/page ${PROJECT_SOURCE_DIR}/reports/html/page/*)
foreach(file IN LISTS page_files)
  list(APPEND embedded ${file}=${PROJECT_SOURCE_DIR}/reports/html/page/${file})
endforeach()
if(charts_folder)
  foreach(file IN LISTS chart_files)
    configure_file(${charts_folder}/${file} ${PROJECT_BINARY_DIR}/charts/${file} COPYONLY)
    list(APPEND embedded ${file}=${PROJECT_BINARY_DIR}/charts/${file})
  endforeach()
endif()
set(inputs ${embedded})
list(TRANSFORM inputs REPLACE "^[^=]*=" "")

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/charts/embed_arguments.cmake @ONLY CONTENT
     "set(output [==[${PROJECT_BINARY_DIR}/charts/embedded.cpp]==])\nset(files [==[@embedded@]==])\nset(charts_reason [==[@charts_reason@]==])\n")
add_custom_command(
  OUTPUT ${PROJECT_BINARY_DIR}/charts/embedded.cpp
  COMMAND ${CMAKE_COMMAND} -D arguments=${PROJECT_BINARY_DIR}/charts/embed_arguments.cmake
          -P ${CMAKE_CURRENT_LIST_DIR}/SpressEmbed.cmake
  DEPENDS ${inputs} ${PROJECT_BINARY_DIR}/charts/embed_arguments.cmake ${CMAKE_CURRENT_LIST_DIR}/SpressEmbed.cmake
  COMMENT "Embedding the report's page"
  VERBATIM)
target_sources(spress_reports PRIVATE ${PROJECT_BINARY_DIR}/charts/embedded.cpp)
