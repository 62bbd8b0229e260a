# Symbolic sizes exist in Python alone: the test runs where there is a Python with the very release of torch that is
# linked. Python does not start with a library that wants the sanitizers' runtime first.
if(SCDCF_SANITIZE)
  return()
endif()
foreach(candidate python3 /usr/bin/python3)
  execute_process(COMMAND ${candidate} -c "import torch, torch.fx; print('.'.join(torch.__version__.split('.')[:2]))"
                  OUTPUT_VARIABLE python_torch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(python_torch AND "${Torch_VERSION}" MATCHES "^${python_torch}\\.")
    add_test(NAME symbolic_shapes
             COMMAND ${candidate} ${CMAKE_CURRENT_LIST_DIR}/symbolic_shapes_test.py $<TARGET_FILE:scdcf>)
    break()
  endif()
endforeach()
if(NOT TEST symbolic_shapes)
  message(STATUS "No Python with torch ${Torch_VERSION}: the test symbolic_shapes is left out")
endif()
