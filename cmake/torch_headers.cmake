# Parsing <torch/torch.h> takes longer than compiling most of what includes it, so it is parsed once for all targets that
# share it. Only torch's own headers: a precompiled header of ours would hide that a file includes too little. That a file
# includes torch's is seen by `make lint` and the sanitizers' build, which go without.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/torch_headers.cpp CONTENT "" @ONLY)
add_library(scdcf_torch_headers OBJECT ${PROJECT_BINARY_DIR}/torch_headers.cpp)
target_link_libraries(scdcf_torch_headers PRIVATE ${TORCH_LIBRARIES})
target_precompile_headers(scdcf_torch_headers PRIVATE <torch/torch.h>)

function(scdcf_precompiled_torch target)
  target_precompile_headers(${target} REUSE_FROM scdcf_torch_headers)
  if(CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    target_compile_options(${target} PRIVATE -fPIC)  # comes after -fPIE: the options must be those of torch_headers.cpp
  endif()
endfunction()

# For what calls torch and computes nothing itself: -O3 would take half as long again to compile.
function(scdcf_calls_torch target)
  scdcf_precompiled_torch(${target})
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()
