# Symbolic sizes exist in Python alone.
if(SCDCF_PYTHON)
  add_test(NAME symbolic_shapes
           COMMAND ${SCDCF_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/symbolic_shapes_test.py $<TARGET_FILE:scdcf>)
  foreach(sweep operator_sweep:200 long_operator_sweep:10000)  # calls of each operator
    string(REPLACE ":" ";" sweep ${sweep})
    list(GET sweep 0 name)
    list(GET sweep 1 calls)
    add_test(NAME ${name} COMMAND ${SCDCF_PYTHON} -W ignore ${CMAKE_CURRENT_LIST_DIR}/operator_sweep.py $<TARGET_FILE:scdcf> ${calls})
    set_tests_properties(${name} PROPERTIES TIMEOUT 3600 ENVIRONMENT "OMP_NUM_THREADS=1")
  endforeach()
  set_tests_properties(long_operator_sweep PROPERTIES LABELS long)
endif()
