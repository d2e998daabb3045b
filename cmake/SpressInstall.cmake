# bin/spress, include/spress/spress.{h,hpp}, libspress.so and libspress.a, find_package(spress) and pkg-config. The
# package has two components: spress::spress, the shared library, which needs nothing else; and spress::static, which
# needs the packages that the library itself was built with.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/spress)

# One archive of all folders' libraries.
get_property(libraries GLOBAL PROPERTY SPRESS_LIBRARIES)
set(archive ${PROJECT_BINARY_DIR}/libspress.a)
set(script "create ${archive}\n")
foreach(library IN LISTS libraries)
  string(APPEND script "addlib $<TARGET_FILE:${library}>\n")
endforeach()
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/libspress.mri CONTENT "${script}save\nend\n")
add_custom_command(OUTPUT ${archive} COMMAND ${CMAKE_AR} -M < ${PROJECT_BINARY_DIR}/libspress.mri
                   DEPENDS ${libraries} ${PROJECT_BINARY_DIR}/libspress.mri VERBATIM)
add_custom_target(spress_archive ALL DEPENDS ${archive})

if(CMAKE_BUILD_TYPE STREQUAL "Release")
  install(CODE "set(CMAKE_INSTALL_DO_STRIP ON)" ALL_COMPONENTS)  # a build keeps its names of functions, for profilers
endif()
install(TARGETS spress RUNTIME COMPONENT tool)
install(TARGETS spress_shared EXPORT spress LIBRARY FILE_SET HEADERS)
if(SPRESS_WITH_MPI)
  install(TARGETS spress_mpi LIBRARY DESTINATION ${SPRESS_PLUGINS} COMPONENT mpi)
endif()
if(SPRESS_WITH_PETSC)
  install(TARGETS petsc_spress LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT spress NAMESPACE spress:: FILE spressTargets.cmake DESTINATION ${package_dir})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/spressConfig.cmake.in spressConfig.cmake
                              INSTALL_DESTINATION ${package_dir}
                              PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(spressConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/spressConfig.cmake ${PROJECT_BINARY_DIR}/spressConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/SpressPackages.cmake
        DESTINATION ${package_dir})
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE libdir)
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_INCLUDEDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE includedir)
foreach(folder IN ITEMS libdir includedir)  # from where spress.pc stands, so that all of it can be moved
  file(RELATIVE_PATH spress_${folder} ${libdir}/pkgconfig ${${folder}})
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/spress.pc.in spress.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/spress.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
