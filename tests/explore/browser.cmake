# The page in a real browser. `make deps` installs node and chromium, `make pages-deps` the packages; without them it is
# skipped and says what is missing.
add_test(NAME explore_browser
         COMMAND ${CMAKE_CURRENT_LIST_DIR}/browser.sh $<TARGET_FILE:scdcf_app> ${PROJECT_SOURCE_DIR}/build-pages
                 ${CMAKE_CURRENT_BINARY_DIR}/explore)
set_tests_properties(explore_browser PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
