# Installs the library into a scratch prefix, then configures, builds and runs a project that only knows find_package.
#   cmake -DBUILD_DIR=... -DSOURCE_DIR=... -DSCRATCH=... -DGENERATOR=... -P run.cmake
foreach(variable BUILD_DIR SOURCE_DIR SCRATCH GENERATOR)
  if(NOT DEFINED ${variable})
    message(FATAL_ERROR "run.cmake: ${variable} is not set")
  endif()
endforeach()

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  message("${output}")
  if(NOT code EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "consumer: failed (${code}): ${command}")
  endif()
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${SCRATCH}/prefix)
# The compiler and the LibTorch of the build, wherever they came from; all else the project must find by itself.
file(STRINGS ${BUILD_DIR}/CMakeCache.txt cached REGEX "^(Torch_DIR|CMAKE_CXX_COMPILER):")
set(hints)
foreach(entry ${cached})
  list(APPEND hints -D${entry})
endforeach()
run(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${SCRATCH}/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix
    -DCMAKE_BUILD_TYPE=Release ${hints})
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
run(${SCRATCH}/build/consumer)
