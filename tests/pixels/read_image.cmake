# Images read by Python: the same pixels as the program makes.
if(SCDCF_PYTHON)
  add_test(NAME read_image COMMAND ${SCDCF_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/read_image_test.py)
  set_tests_properties(read_image PROPERTIES TIMEOUT 100 ENVIRONMENT "${python_environment}")
endif()
