# Sets SCDCF_PYTHON to a Python that has the very release of torch that is linked, and adds the tests of the Python package,
# which are one: they begin with a second of loading torch. Python does not start with a library that wants the sanitizers'
# runtime first.
set(SCDCF_PYTHON "")
if(SCDCF_SANITIZE)
  return()
endif()
foreach(candidate ${SCDCF_TORCH_PYTHON} python3 /usr/bin/python3)
  execute_process(COMMAND ${candidate} -c "import torch, torch.fx; print('.'.join(torch.__version__.split('.')[:2]))"
                  OUTPUT_VARIABLE python_torch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(python_torch AND "${Torch_VERSION}" MATCHES "^${python_torch}\\.")
    set(SCDCF_PYTHON ${candidate})
    break()
  endif()
endforeach()
if(NOT SCDCF_PYTHON)
  message(STATUS "No Python with torch ${Torch_VERSION}: the tests python and symbolic_shapes are left out (make deps installs it)")
  return()
endif()
add_test(NAME python COMMAND ${SCDCF_PYTHON} -m unittest discover -s ${PROJECT_SOURCE_DIR}/python/tests -v)
set(python_environment "PYTHONPATH=${PROJECT_SOURCE_DIR}/python" "SCDCF_LIBRARY=$<TARGET_FILE:scdcf>" "OMP_NUM_THREADS=1"
                       "PYTHONDONTWRITEBYTECODE=1")
if(SCDCF_BUILD_PROGRAM)
  list(APPEND python_environment "SCDCF_PROGRAM=$<TARGET_FILE:scdcf_app>")
endif()
set_tests_properties(python PROPERTIES TIMEOUT 600 ENVIRONMENT "${python_environment}")
if(SCDCF_TORCH_PYTHON)
  add_test(NAME pip_install COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/torch2/pip_install.sh ${SCDCF_PYTHON} ${PROJECT_SOURCE_DIR}
                                    ${CMAKE_CURRENT_BINARY_DIR}/pip_install)
  set_tests_properties(pip_install PROPERTIES TIMEOUT 1800 PROCESSORS 2)
endif()
