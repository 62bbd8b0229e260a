# The one definition rule over the whole program: two types of one name with different members make the linker keep one
# destructor for both. No compiler sees it in a single file; the link-time optimiser, which reads every file's types, does.
# Library rooms and program rooms in one link, which has no use but this (`make odr`); torch stays undefined in it.
get_property(rooms GLOBAL PROPERTY SCDCF_ROOMS)
add_library(scdcf_odr SHARED $<TARGET_OBJECTS:scdcf_commands>)
foreach(room ${rooms})
  target_sources(scdcf_odr PRIVATE $<TARGET_OBJECTS:scdcf_${room}>)
endforeach()
set_target_properties(scdcf_odr PROPERTIES LINKER_LANGUAGE CXX)
target_link_options(scdcf_odr PRIVATE -Wodr -Werror=odr -Werror=lto-type-mismatch)
