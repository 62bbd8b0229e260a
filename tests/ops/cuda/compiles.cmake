# Compiles every CUDA kernel for Hopper, those with code for Hopper alone for an older card too, and the chained ones for
# the oldest card that they run on; fails at the first that does not.
cmake_minimum_required(VERSION 3.25)
include(${SOURCE_DIR}/scdcf/ops/cuda/sources.cmake)
set(older ops/cuda/streamed/streamed.cu ops/cuda/streamed/streamed_gradient.cu)
set(no_hopper ops/cuda/chained/chained.cu ops/cuda/chained/chained_gradient.cu ops/cuda/chained/chained_operands.cu)  # run from sm_80 on
if(NOT cuda_sources)
  message(FATAL_ERROR "no CUDA source is listed in ops/cuda/sources.cmake")
endif()
if(NOT WITH_CUBLAS)
  list(REMOVE_ITEM cuda_sources ops/cuda/expanded/products.cpp)
  message(STATUS "ops/cuda/expanded/products.cpp is left out: the CUDA toolkit has no cublas_v2.h")
endif()
foreach(source ${cuda_sources})
  set(architectures -gencode arch=compute_90a,code=sm_90a)
  if(source IN_LIST no_hopper)
    set(architectures -gencode arch=compute_80,code=sm_80)
  elseif(source IN_LIST older)
    list(APPEND architectures -gencode arch=compute_80,code=sm_80)
  endif()
  # Little optimised: what is asked is whether it compiles. Whether products of warpgroups can run beside each other shows
  # only where all is optimised.
  set(optimisation -Xcicc -O1 -Xptxas -O1)
  if(source IN_LIST older)
    set(optimisation)
  endif()
  execute_process(COMMAND ${NVCC} -std=c++17 ${optimisation} ${architectures} -I${SOURCE_DIR} -c ${SOURCE_DIR}/scdcf/${source}
                          -o ${OUTPUT}/cuda_compiles.o
                  RESULT_VARIABLE failed ERROR_VARIABLE said)
  if(failed)
    message(FATAL_ERROR "${source} does not compile:\n${said}")
  endif()
  # A product of warpgroups that the compiler cannot run beside the next waits for it: a third of the speed is lost.
  if(said MATCHES "wgmma.mma_async instructions are serialized")
    message(FATAL_ERROR "${source}: products of warpgroups wait for each other:\n${said}")
  endif()
endforeach()
list(LENGTH cuda_sources count)
message(STATUS "${count} CUDA sources compile")
