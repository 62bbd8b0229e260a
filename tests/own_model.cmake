# Runs examples/own_model: the network that the program registered is listed, trained, evaluated, exported.
file(REMOVE_RECURSE ${SCRATCH})
function(expect_output text)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE code)
  if(NOT code EQUAL 0 OR NOT output MATCHES "${text}")
    message(FATAL_ERROR "${ARGN}: exit code ${code}, expected 0 and \"${text}\" in:\n${output}${errors}")
  endif()
endfunction()
expect_output("scalings and translations" models tiny)
expect_output("memory: [0-9.]+ [MG]B [(]weights .*test accuracy" train --model tiny --channels 4 --scales 3 --data sglyphs --train-size 200 --test-size 100
              --epochs 1 --out ${SCRATCH})
expect_output("tiny on sglyphs" eval ${SCRATCH} --count 50)
expect_output("scores differ by at most" export ${SCRATCH} --out ${SCRATCH}/tiny.onnx)
