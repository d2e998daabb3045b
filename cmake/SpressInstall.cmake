# bin/spress, lib/libspress_*.a, include/spress/<folder>/*.hpp, and find_package(spress): one target for each folder
# (spress::formats, spress::io, ...) and spress::spress for everything.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/spress)

add_library(spress_all INTERFACE)
add_library(spress::spress ALIAS spress_all)
set_target_properties(spress_all PROPERTIES EXPORT_NAME spress)
target_link_libraries(spress_all INTERFACE spress_pipeline)

get_property(libraries GLOBAL PROPERTY SPRESS_LIBRARIES)
install(TARGETS spress RUNTIME)
install(TARGETS ${libraries} spress_all EXPORT spress
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spress)
install(EXPORT spress NAMESPACE spress:: FILE spressTargets.cmake DESTINATION ${package_dir})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/spressConfig.cmake.in spressConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(spressConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/spressConfig.cmake ${PROJECT_BINARY_DIR}/spressConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/SpressPackages.cmake
        DESTINATION ${package_dir})
