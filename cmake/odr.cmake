# The one definition rule over the whole program: two types of one name with different members make the linker keep one
# destructor for both. No compiler sees it in a single file; the link-time optimiser, which reads every file's types, does.
set(odr_options -flto=auto -Wodr -Werror=odr -Werror=lto-type-mismatch)

# A compiler that does not see it would let everything pass.
set(two ${PROJECT_BINARY_DIR}/two_definitions)
file(WRITE ${two}/a.cpp "struct Two { int a; };\nint use(const Two& two) { return two.a; }\n")
file(WRITE ${two}/b.cpp "struct Two { double b; };\nint use(const Two&);\nint main() { Two two{0}; return use(two); }\n")
try_compile(two_definitions_pass ${two}/build SOURCES ${two}/a.cpp ${two}/b.cpp COMPILE_DEFINITIONS -flto
            LINK_OPTIONS ${odr_options} OUTPUT_VARIABLE said)
if(two_definitions_pass OR NOT said MATCHES "One Definition Rule|-Wodr|=odr")
  message(FATAL_ERROR "odr: two types of one name gave no such error; needs GCC and -flto. Said: ${said}")
endif()

# Library rooms and program rooms in one link, which has no use but this (`make odr`); torch stays undefined in it.
get_property(rooms GLOBAL PROPERTY SCDCF_ROOMS)
add_library(scdcf_odr SHARED $<TARGET_OBJECTS:scdcf_commands>)
foreach(room ${rooms})
  target_sources(scdcf_odr PRIVATE $<TARGET_OBJECTS:scdcf_${room}>)
endforeach()
set_target_properties(scdcf_odr PROPERTIES LINKER_LANGUAGE CXX)
target_link_options(scdcf_odr PRIVATE ${odr_options})
