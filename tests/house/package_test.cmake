# Installs the build into a folder of its own, builds a program against it with find_package(spress), and runs it.
set(work ${BUILD}/package_test)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${output}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
foreach(file bin/spress include/spress/formats/csr/csr.hpp include/spress/formats/io/container/container.hpp
             include/spress/kernels/cpu/spmv.hpp)
  if(NOT EXISTS ${work}/prefix/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()
file(GLOB_RECURSE texts ${work}/prefix/*.cmake)
foreach(text IN LISTS texts)
  file(READ ${text} content)
  if(content MATCHES "${BUILD}/[a-z]")
    message(FATAL_ERROR "${text} mentions the build folder: ${CMAKE_MATCH_0}")
  endif()
endforeach()

# Moved: an installed package must not know where it was installed to.
file(RENAME ${work}/prefix ${work}/moved)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${work}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${work}/moved)
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/formats_only)
run(${work}/build/everything)
run(${CMAKE_COMMAND} -E chdir ${work}/build ${work}/build/example)
run(${work}/moved/bin/spress --version)
