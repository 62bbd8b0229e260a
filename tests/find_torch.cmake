# What cmake/find_torch.cmake makes of a LibTorch: every library from the prefix that was chosen; without nvcc the CPU part of a CUDA
# build; one line for a Python without torch.
#   cmake -DSOURCE_DIR=... -DTORCH_DIR=... -DSCRATCH=... -P find_torch.cmake
cmake_minimum_required(VERSION 3.25)

# Sets `said` to what CMake says, and `libraries` to the LibTorch libraries that libscdcf.so is linked with.
function(configure)
  file(REMOVE_RECURSE ${SCRATCH}/build)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${SCRATCH}/build -G Ninja -DCMAKE_BUILD_TYPE=Release
                          -DSCDCF_BUILD_PROGRAM=OFF -DSCDCF_BUILD_TESTS=OFF -DSCDCF_BUILD_BENCHMARKS=OFF -DSCDCF_BUILD_EXAMPLES=OFF
                          ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
  set(libraries "")
  if(NOT failed)
    file(STRINGS ${SCRATCH}/build/build.ninja lines REGEX "LINK_LIBRARIES = ")
    string(REGEX MATCHALL "[^ \"]*/lib(torch|c10)[a-z_]*\\.so" libraries "${lines}")
    list(REMOVE_DUPLICATES libraries)
  endif()
  string(REGEX REPLACE "[ \n]+" " " said "${said}")
  set(said "${said}" PARENT_SCOPE)
  set(libraries "${libraries}" PARENT_SCOPE)
endfunction()

function(expect_libraries prefix)
  foreach(name c10 torch_cpu)
    if(NOT ${prefix}/lib${name}.so IN_LIST libraries)
      message(FATAL_ERROR "find_torch: ${prefix}/lib${name}.so is not linked; CMake said: ${said}")
    endif()
  endforeach()
  foreach(library ${libraries})
    string(FIND "${library}" "${prefix}/" start)
    if(NOT start EQUAL 0 OR library MATCHES cuda)
      message(FATAL_ERROR "find_torch: ${library} is linked, expected CPU libraries of ${prefix} alone")
    endif()
  endforeach()
endfunction()

configure(-DSCDCF_TORCH_PYTHON=/none/python)
if(NOT said MATCHES "SCDCF_TORCH_PYTHON: got /none/python, expected a Python with torch")
  message(FATAL_ERROR "find_torch: a Python that is not there gave: ${said}")
endif()
get_filename_component(prefix ${TORCH_DIR}/../../.. ABSOLUTE)
if(NOT EXISTS ${prefix}/lib/libtorch_cpu.so)
  message("find_torch: ${TORCH_DIR} is the system's; `make test-torch2` tests another beside it")
  return()
endif()
foreach(hint -DTorch_DIR=${TORCH_DIR} -DCMAKE_PREFIX_PATH=${prefix}/share/cmake -DCMAKE_PREFIX_PATH=${prefix})
  configure(${hint})
  expect_libraries(${prefix}/lib)
endforeach()
