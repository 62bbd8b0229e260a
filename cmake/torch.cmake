# LibTorch: the system's own (Debian's libtorch-dev), or the one inside a Python installation of PyTorch.
# A CUDA LibTorch takes its architectures from here and not from CMAKE_CUDA_ARCHITECTURES.
if(NOT DEFINED TORCH_CUDA_ARCH_LIST)
  if(DEFINED ENV{TORCH_CUDA_ARCH_LIST})
    set(TORCH_CUDA_ARCH_LIST "$ENV{TORCH_CUDA_ARCH_LIST}")
  else()
    set(TORCH_CUDA_ARCH_LIST "8.0;9.0")
  endif()
endif()
# The products of Hopper's warpgroups exist in code for 9.0a alone; without it the kernels fall back to those of 8.0.
string(REGEX REPLACE "9\\.0([^a]|$)" "9.0a\\1" TORCH_CUDA_ARCH_LIST "${TORCH_CUDA_ARCH_LIST}")
set(CMAKE_CUDA_STANDARD 17)
find_package(Torch 1.13 QUIET)
if(NOT Torch_FOUND)
  execute_process(COMMAND python3 -c "import torch; print(torch.utils.cmake_prefix_path)"
                  OUTPUT_VARIABLE torch_prefix OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  list(APPEND CMAKE_PREFIX_PATH ${torch_prefix})
  find_package(Torch 1.13 REQUIRED)
endif()
set(SCDCF_WITH_CUDA OFF)
if(TARGET torch_cuda)
  set(SCDCF_WITH_CUDA ON)
endif()
message(STATUS "LibTorch ${Torch_VERSION}, CUDA ${SCDCF_WITH_CUDA}")
# LibTorch is built with NDEBUG, and its headers lay objects out otherwise without it: RecordFunction::inputs() then asserts.
add_compile_definitions($<$<NOT:$<CONFIG:Release>>:NDEBUG>)
