# What other programs link: spress::spress, a shared library that exports the functions of <spress/spress.h> and nothing
# else, and spress::static, the same linked into the program. Both bring the folder of <spress/...> headers.
set(spress_public ${PROJECT_SOURCE_DIR}/pipeline/interface/include)

target_compile_definitions(spress_interface PRIVATE SPRESS_BUILDS_LIBRARY)
target_link_libraries(spress_interface PRIVATE $<BUILD_INTERFACE:spress::deps::fmt>)

add_library(spress_shared SHARED $<TARGET_OBJECTS:spress_interface>)
set_target_properties(spress_shared PROPERTIES OUTPUT_NAME spress EXPORT_NAME spress VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINKER_LANGUAGE CXX)
target_link_libraries(spress_shared PRIVATE $<BUILD_INTERFACE:spress_pipeline>)
set(exports ${CMAKE_CURRENT_LIST_DIR}/spress.map)
target_link_options(spress_shared PRIVATE -Wl,--version-script=${exports} -Wl,--gc-sections)
set_property(TARGET spress_shared PROPERTY LINK_DEPENDS ${exports})

add_library(spress_static INTERFACE)
set_target_properties(spress_static PROPERTIES EXPORT_NAME static)
target_link_libraries(spress_static INTERFACE spress_interface)

add_library(spress::spress ALIAS spress_shared)
add_library(spress::static ALIAS spress_static)
foreach(library IN ITEMS spress_shared spress_static)
  target_sources(${library} INTERFACE FILE_SET HEADERS BASE_DIRS ${spress_public}
                 FILES ${spress_public}/spress/spress.h ${spress_public}/spress/spress.hpp)
endforeach()
