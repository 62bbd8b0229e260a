# A room is a folder of src/scdcf: one target scdcf_NAME, one namespace scdcf::NAME (core's is scdcf itself), and a list of
# the rooms whose headers it includes. The test `rooms` reads that list and checks every include against it.
#
#   scdcf_library_room(NAME USES rooms PUBLIC_HEADERS files SOURCES files [UNITY files])   part of libscdcf.so
#   scdcf_program_room(NAME USES rooms SOURCES files [UNITY files])   a static library of the program
#
# PUBLIC_HEADERS are installed: what scdcf.h includes, and what those include. The test `consumer` compiles each alone.
# Files under UNITY, which include torch, are compiled as one, with its headers precompiled: parsing them takes longer than
# compiling what includes them. Never across rooms, where it would hide that one includes too little or that two define the
# same name.
include(${CMAKE_CURRENT_LIST_DIR}/torch_headers.cmake)

function(scdcf_room name)
  cmake_parse_arguments(ROOM "" "" "USES;PUBLIC_HEADERS;SOURCES;UNITY" ${ARGN})
  target_sources(scdcf_${name} PRIVATE ${ROOM_SOURCES} ${ROOM_UNITY})
  target_compile_features(scdcf_${name} PUBLIC cxx_std_17)
  target_include_directories(scdcf_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(scdcf_${name} PRIVATE scdcf_warnings)
  if(ROOM_UNITY)
    set_target_properties(scdcf_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    set_source_files_properties(${ROOM_UNITY} PROPERTIES UNITY_GROUP ${name})
    scdcf_precompiled_torch(scdcf_${name})
    set_source_files_properties(${ROOM_SOURCES} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endif()
  if(ROOM_PUBLIC_HEADERS)
    install(FILES ${ROOM_PUBLIC_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/scdcf/${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY SCDCF_ROOMS ${name})
  set_property(GLOBAL PROPERTY SCDCF_ROOM_${name}_USES ${ROOM_USES})
endfunction()

function(scdcf_library_room name)
  add_library(scdcf_${name} OBJECT)
  target_link_libraries(scdcf_${name} PRIVATE ${TORCH_LIBRARIES})
  if(SCDCF_WITH_CUDA)
    target_compile_definitions(scdcf_${name} PRIVATE SCDCF_WITH_CUDA)
  endif()
  scdcf_room(${name} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY SCDCF_LIBRARY_ROOMS ${name})
endfunction()

function(scdcf_program_room name)
  add_library(scdcf_${name} STATIC)
  scdcf_room(${name} ${ARGN})
  get_property(library_rooms GLOBAL PROPERTY SCDCF_LIBRARY_ROOMS)
  get_property(uses GLOBAL PROPERTY SCDCF_ROOM_${name}_USES)
  foreach(used ${uses})
    if(NOT used IN_LIST library_rooms)
      target_link_libraries(scdcf_${name} PUBLIC scdcf_${used})
    elseif(NOT used STREQUAL core)  # what core/ has for rooms without torch stands in its headers
      target_link_libraries(scdcf_${name} PUBLIC scdcf)
    endif()
  endforeach()
  get_target_property(unity scdcf_${name} UNITY_BUILD)
  if(unity)
    scdcf_calls_torch(scdcf_${name})
  endif()
endfunction()

# "NAME: what it uses", one line per room from the ground up, for the test `rooms`.
function(scdcf_write_rooms file)
  get_property(rooms GLOBAL PROPERTY SCDCF_ROOMS)
  set(lines "")
  foreach(room ${rooms})
    get_property(uses GLOBAL PROPERTY SCDCF_ROOM_${room}_USES)
    string(REPLACE ";" " " uses "${uses}")
    string(APPEND lines "${room}: ${uses}\n")
  endforeach()
  file(CONFIGURE OUTPUT ${file} CONTENT "${lines}" @ONLY)
endfunction()
