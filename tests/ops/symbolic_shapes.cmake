# Symbolic sizes exist in Python alone.
if(SCDCF_PYTHON)
  add_test(NAME symbolic_shapes
           COMMAND ${SCDCF_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/symbolic_shapes_test.py $<TARGET_FILE:scdcf>)
endif()
