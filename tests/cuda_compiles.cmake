# Compiles every CUDA kernel for sm_90; fails at the first that does not.
include(${SOURCE_DIR}/scdcf/ops/cuda/sources.cmake)
list(LENGTH cuda_sources count)
if(count EQUAL 0)
  message(FATAL_ERROR "no CUDA source is listed in ops/cuda/sources.cmake")
endif()
foreach(source ${cuda_sources})
  execute_process(COMMAND ${NVCC} -std=c++17 -arch=sm_90 -I${SOURCE_DIR} -c ${SOURCE_DIR}/scdcf/${source}
                          -o ${OUTPUT}/cuda_compiles.o
                  RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${source} does not compile")
  endif()
endforeach()
message(STATUS "${count} CUDA sources compile for sm_90")
