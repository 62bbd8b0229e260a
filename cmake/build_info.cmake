# Writes the commit into a header, only when it has changed. Run at build time with SOURCE_DIR, OUTPUT and VERSION set.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=12
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once
#define SCDCF_VERSION \"@VERSION@\"
#define SCDCF_COMMIT \"@commit@\"
" @ONLY)
