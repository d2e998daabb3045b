# The libraries that kernels/peers/ and kernels/cuda/ measure against, MKL, Eigen and cuSPARSE: used where they are found,
# never required.
spress_optional(MKL "MKL as a peer in benchmarks")
spress_optional(EIGEN "Eigen as a peer in benchmarks")

if(NOT SPRESS_EIGEN STREQUAL "OFF")
  find_package(Eigen3 3.3 QUIET NO_MODULE)
  if(Eigen3_FOUND)
    target_link_libraries(spress_peers PRIVATE $<BUILD_INTERFACE:Eigen3::Eigen>)
    target_compile_definitions(spress_peers PRIVATE SPRESS_WITH_EIGEN)
    set(SPRESS_EIGEN_STATE "Eigen ${Eigen3_VERSION}")
  elseif(SPRESS_EIGEN STREQUAL "ON")
    message(FATAL_ERROR "SPRESS_EIGEN=ON, but Eigen 3.3 or newer was not found (set Eigen3_DIR)")
  endif()
endif()

# MKL's code has no instrumentation, and is loaded when the program runs: of no use under sanitizers.
if(NOT SPRESS_MKL STREQUAL "OFF" AND NOT (SPRESS_SANITIZE AND SPRESS_MKL STREQUAL "AUTO"))
  find_path(SPRESS_mkl_INCLUDE mkl_spblas.h HINTS ENV MKLROOT PATH_SUFFIXES include mkl)
  mark_as_advanced(SPRESS_mkl_INCLUDE)
  if(SPRESS_mkl_INCLUDE)
    target_include_directories(spress_peers SYSTEM PRIVATE $<BUILD_INTERFACE:${SPRESS_mkl_INCLUDE}>)
    target_compile_definitions(spress_peers PRIVATE SPRESS_WITH_MKL)
    target_link_libraries(spress_peers PRIVATE ${CMAKE_DL_LIBS})
    set(SPRESS_MKL_NAME MKL)
    set(SPRESS_MKL_STATE "${SPRESS_MKL_NAME} (its libmkl_rt.so is looked for when a program runs)")
    # MKL must find this build's OpenMP library in the process. A static one shows only what a program says it shows, and
    # is in it as a whole only if a program says so.
    if("${OpenMP_CXX_LIBRARIES}" MATCHES "libgomp\\.a(;|$)")
      target_link_options(spress_peers INTERFACE
        $<BUILD_INTERFACE:LINKER:--whole-archive,${OpenMP_gomp_LIBRARY},--no-whole-archive>
        $<BUILD_INTERFACE:LINKER:--export-dynamic-symbol=GOMP_*,--export-dynamic-symbol=omp_*>)
    endif()
  elseif(SPRESS_MKL STREQUAL "ON")
    message(FATAL_ERROR "SPRESS_MKL=ON, but the header mkl_spblas.h was not found (set SPRESS_mkl_INCLUDE)")
  endif()
endif()

# cuSPARSE: as of MKL, only its header is needed to build; old ones lack preprocessing.
if(SPRESS_WITH_CUDA)
  find_path(SPRESS_cusparse_INCLUDE cusparse.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  mark_as_advanced(SPRESS_cusparse_INCLUDE)
  if(SPRESS_cusparse_INCLUDE)
    file(STRINGS ${SPRESS_cusparse_INCLUDE}/cusparse.h preprocess REGEX "^cusparseSpMV_preprocess")
    if(preprocess)
      target_include_directories(spress_cuda SYSTEM PRIVATE $<BUILD_INTERFACE:${SPRESS_cusparse_INCLUDE}>)
      target_compile_definitions(spress_cuda PRIVATE SPRESS_WITH_CUSPARSE)
      target_link_libraries(spress_cuda PRIVATE ${CMAKE_DL_LIBS})
      set(SPRESS_CUSPARSE_NAME cuSPARSE)
      set(SPRESS_CUSPARSE_STATE "${SPRESS_CUSPARSE_NAME} (its libcusparse.so.12 is looked for when a program runs)")
    endif()
  endif()
endif()

set(SPRESS_PEERS_STATE ${SPRESS_MKL_STATE} ${SPRESS_EIGEN_STATE} ${SPRESS_CUSPARSE_STATE})
list(JOIN SPRESS_PEERS_STATE ", " SPRESS_PEERS_STATE)
if(NOT SPRESS_PEERS_STATE)
  set(SPRESS_PEERS_STATE "none: neither MKL nor Eigen nor cuSPARSE was found, or wanted")
endif()
