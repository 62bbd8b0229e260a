# LibTorch: the system's own (Debian's libtorch-dev), or the one inside a Python installation of PyTorch.
find_package(Torch 1.13 QUIET)
if(NOT Torch_FOUND)
  execute_process(COMMAND python3 -c "import torch; print(torch.utils.cmake_prefix_path)"
                  OUTPUT_VARIABLE torch_prefix OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  list(APPEND CMAKE_PREFIX_PATH ${torch_prefix})
  find_package(Torch 1.13 REQUIRED)
endif()
message(STATUS "LibTorch ${Torch_VERSION}")
