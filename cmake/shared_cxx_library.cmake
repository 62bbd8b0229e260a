# Some compilers link their C++ library statically. Our library then has one of its own in a process that has another, as
# Python has with torch's, and mixing the two ends in crashes: SCDCF_CXX_LIBRARY is the system's, where there is need of it.
set(SCDCF_CXX_LIBRARY "")
set(probe ${PROJECT_BINARY_DIR}/shared_cxx_library)
file(WRITE ${probe}/probe.cpp "#include <iostream>\nint main() { std::cout << 1; }\n")
try_compile(probe_compiled ${probe} ${probe}/probe.cpp COPY_FILE ${probe}/probe)
if(probe_compiled)
  file(STRINGS ${probe}/probe named_in_probe REGEX "lib(std)?c\\+\\+\\.so" LIMIT_COUNT 1)
  if(NOT named_in_probe)
    find_library(SCDCF_SHARED_CXX_LIBRARY NAMES libstdc++.so.6
                 PATHS /usr/lib/${CMAKE_SYSTEM_PROCESSOR}-linux-gnu /lib/${CMAKE_SYSTEM_PROCESSOR}-linux-gnu /usr/lib64)
    if(SCDCF_SHARED_CXX_LIBRARY)
      set(SCDCF_CXX_LIBRARY ${SCDCF_SHARED_CXX_LIBRARY})
    endif()
    message(STATUS "The compiler links its C++ library statically; shared: ${SCDCF_SHARED_CXX_LIBRARY}")
  endif()
endif()
