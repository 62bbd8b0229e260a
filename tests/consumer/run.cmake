# Installs into a scratch prefix and moves it: the program must start there, and a project that only knows find_package
# must configure, build and run.
#   cmake -DBUILD_DIR=... -DSOURCE_DIR=... -DSCRATCH=... -DGENERATOR=... [-DPROGRAM=ON] -P run.cmake
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
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${SCRATCH}/installed)
file(RENAME ${SCRATCH}/installed ${SCRATCH}/prefix)
if(PROGRAM)
  set(plain ${CMAKE_COMMAND} -E env --unset=LD_LIBRARY_PATH)
  run(${plain} ${SCRATCH}/prefix/bin/scdcf --version)
  execute_process(COMMAND ${plain} ldd ${SCRATCH}/prefix/bin/scdcf OUTPUT_VARIABLE libraries)
  string(REGEX MATCH "libscdcf[^\n]*" library "${libraries}")
  if(NOT library MATCHES "=> ${SCRATCH}/prefix/")
    message(FATAL_ERROR "consumer: the installed program takes ${library}, expected the library of its own prefix")
  endif()
endif()
# The compiler and the LibTorch of the build, wherever they came from; all else the project must find by itself.
file(STRINGS ${BUILD_DIR}/CMakeCache.txt cached REGEX "^(Torch_DIR|CMAKE_CXX_COMPILER):")
set(hints)
foreach(entry ${cached})
  list(APPEND hints -D${entry})
endforeach()
run(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${SCRATCH}/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix
    -DCMAKE_BUILD_TYPE=Release ${hints})
run(${CMAKE_COMMAND} --build ${SCRATCH}/build --parallel 1)  # the other core has other tests
run(${SCRATCH}/build/consumer)
