# The commit that a build names: given with one configure, it is that one's alone; what is no hash is refused.
#   cmake -DSOURCE_DIR=... -DTORCH_DIR=... -DSCRATCH=... -P commit.cmake
cmake_minimum_required(VERSION 3.25)
set(options -DTorch_DIR=${TORCH_DIR} -DCMAKE_BUILD_TYPE=Release)
foreach(part PROGRAM TESTS BENCHMARKS EXAMPLES)
  list(APPEND options -DSCDCF_BUILD_${part}=OFF)
endforeach()

# Sets `named` to the commit of a build configured with these further options, or to what cmake says of them.
function(configure)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${SCRATCH} ${options} ${ARGN}
                  RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE named)
  if(NOT failed)
    execute_process(COMMAND ${CMAKE_COMMAND} --build ${SCRATCH} --target scdcf_build_info OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
    file(STRINGS ${SCRATCH}/generated/build_info.h named REGEX SCDCF_COMMIT)
  endif()
  set(named "${named}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
configure(-DSCDCF_COMMIT=0123456789abcdef0123456789abcdef01234567)
if(NOT named STREQUAL "#define SCDCF_COMMIT \"0123456789ab\"")
  message(FATAL_ERROR "commit: got ${named}, expected the one given")
endif()
configure()
if(NOT named MATCHES "#define SCDCF_COMMIT" OR named MATCHES 0123456789ab)
  message(FATAL_ERROR "commit: got ${named}, expected git's, not the one given to an earlier configure")
endif()
foreach(wrong main 012345 0123456789abcdef0123456789abcdef012345678)
  configure(-DSCDCF_COMMIT=${wrong})
  if(NOT named MATCHES "SCDCF_COMMIT: got \"${wrong}\"")
    message(FATAL_ERROR "commit: ${wrong} was taken for a commit: ${named}")
  endif()
endforeach()
