# Symbolic sizes exist in Python alone.
if(SCDCF_PYTHON)
  add_test(NAME symbolic_shapes
           COMMAND ${SCDCF_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/symbolic_shapes_test.py $<TARGET_FILE:scdcf>)
  # 10,000 calls of each operator by hand: tests/ops/operator_sweep.py build/lib/libscdcf.so 10000.
  add_test(NAME operator_sweep
           COMMAND ${SCDCF_PYTHON} -W ignore ${CMAKE_CURRENT_LIST_DIR}/operator_sweep.py $<TARGET_FILE:scdcf> 200)
  set_tests_properties(operator_sweep PROPERTIES TIMEOUT 600 ENVIRONMENT "OMP_NUM_THREADS=1")
endif()
