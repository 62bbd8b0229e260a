# Writes the commit into a header, only when it has changed. Run at build time with SOURCE_DIR, OUTPUT and VERSION set, and
# GIVEN_COMMIT where the commit is not git's to tell.
cmake_minimum_required(VERSION 3.25)
string(SUBSTRING "${GIVEN_COMMIT}" 0 12 commit)
if(NOT commit)
  execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=12
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit)
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once
#define SCDCF_VERSION \"@VERSION@\"
#define SCDCF_COMMIT \"@commit@\"
" @ONLY)
