# What else answers beside the program: Python, and a browser with onnxruntime-web; left out where they are missing.
set(fit_python "")
if(SCDCF_PYTHON)
  set(fit_python "env PYTHONPATH=${PROJECT_SOURCE_DIR}/python PYTHONDONTWRITEBYTECODE=1 SCDCF_LIBRARY=$<TARGET_FILE:scdcf> \
${SCDCF_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/fit_scores.py")
else()
  message(STATUS "No Python with torch ${Torch_VERSION}: the test program_fit leaves Python out")
endif()
set(fit_browser "")
find_program(SCDCF_BROWSER NAMES chromium chromium-browser google-chrome)
set(pages ${PROJECT_SOURCE_DIR}/build-pages)
if(NODE AND SCDCF_BROWSER AND EXISTS ${pages}/node_modules/onnxruntime-web AND EXISTS ${pages}/node_modules/puppeteer-core)
  set(fit_browser "${NODE} ${CMAKE_CURRENT_LIST_DIR}/fit_scores.mjs ${SCDCF_BROWSER} ${pages}")
else()
  message(STATUS "No browser, or no Node with onnxruntime-web (make pages-deps): the test program_fit leaves them out")
endif()
target_compile_definitions(test_program_fit PRIVATE "SCDCF_PYTHON_COMMAND=\"${fit_python}\""
                                                    "SCDCF_BROWSER_COMMAND=\"${fit_browser}\"")
target_link_libraries(test_program_fit PRIVATE PNG::PNG JPEG::JPEG)
