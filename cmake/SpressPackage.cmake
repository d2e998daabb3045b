# What users of the tool get beside it, as the component `tool`: manual pages, completions, pages, the licence; and a
# package of that component: `cpack --config build/release/CPackConfig.cmake` makes spress_VERSION_ARCHITECTURE.deb.
install(DIRECTORY ${SPRESS_PAGES}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tool)
install(FILES ${SPRESS_PAGES}/bash/spress DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        COMPONENT tool)
set(SPRESS_ZSH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE PATH "Where zsh looks for completions")
install(FILES ${SPRESS_PAGES}/zsh/_spress DESTINATION ${SPRESS_ZSH_COMPLETIONS} COMPONENT tool)
install(FILES ${SPRESS_PAGES}/fish/spress.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
        COMPONENT tool)
install(FILES ${PROJECT_SOURCE_DIR}/CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tool)
# Pages link to each other, so all are installed.
file(GLOB spress_pages CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} LIST_DIRECTORIES false
     *.md bench/*.md bench/runs/*/*.md examples/*.ipynb formats/io/*.md packaging/*.* packaging/*/*)
foreach(page IN LISTS spress_pages)
  cmake_path(GET page PARENT_PATH folder)
  install(FILES ${PROJECT_SOURCE_DIR}/${page} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder} COMPONENT tool)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tool)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tool)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright  # as Debian calls it
        COMPONENT tool)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME spress)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "the spress authors")
set(CPACK_PACKAGE_CONTACT "the spress authors <authors@spress.invalid>" CACHE STRING "Who answers for a package")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "store sparse matrices in fewer bytes, and multiply with them")
set(CPACK_PACKAGE_DESCRIPTION
    "spress measures what sparse matrices cost in many formats, on disk, in memory\nand on the way to a GPU, writes them in the best one without loss, and proves\nthat bits and products are right.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL tool)
if(SPRESS_WITH_MPI)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_TOOL_PACKAGE_NAME spress)
set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS spress-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_NAME spress-mpi)
set(CPACK_COMPONENT_MPI_DESCRIPTION "lets mpirun and srun start spress as several processes that share the work")
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "spress (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS openmpi-bin)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)
