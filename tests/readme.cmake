# The code in README.md is the example that the tests run, letter by letter.
file(READ ${SOURCE_DIR}/README.md readme)
file(READ ${SOURCE_DIR}/examples/first_layers.cpp example)
string(STRIP "${example}" example)
string(FIND "${readme}" "${example}" place)
if(place EQUAL -1)
  message(FATAL_ERROR "README.md: its code differs from examples/first_layers.cpp")
endif()
