# scdcf_find_torch(ARGUMENTS...) is find_package(Torch ARGUMENTS...) with two corrections. The installed package has it too.
# SCDCF_TORCH_LIB is the folder of its libraries, empty for the system's.
#
# TorchConfig.cmake searches the system's folders before its own, for libc10, libtorch and Caffe2: where Debian's LibTorch is
# installed beside another, a program loads both and ends with "double free". Here all come from the prefix of TorchConfig.cmake.
#
# TorchConfig.cmake of a CUDA build fails where there is no CUDA toolkit. Here such a LibTorch serves for CPU operators alone.
option(SCDCF_CUDA "Build CUDA operators, where LibTorch is a CUDA build and a CUDA toolkit is found" ON)

macro(scdcf_find_torch)
  scdcf_torch_prefix(TORCH_INSTALL_PREFIX)
  set(SCDCF_TORCH_LIB "")
  if(TORCH_INSTALL_PREFIX)
    set(SCDCF_TORCH_LIB ${TORCH_INSTALL_PREFIX}/lib)
  endif()
  scdcf_cuda_toolkit(scdcf_toolkit)
  if(EXISTS ${TORCH_INSTALL_PREFIX}/lib/libtorch_cuda.so AND NOT (SCDCF_CUDA AND scdcf_toolkit))
    scdcf_torch_without_cuda()
  else()
    set(scdcf_prefix_path ${CMAKE_PREFIX_PATH})
    list(PREPEND CMAKE_PREFIX_PATH ${TORCH_INSTALL_PREFIX})
    find_package(Torch ${ARGN})
    set(CMAKE_PREFIX_PATH ${scdcf_prefix_path})
  endif()
endmacro()

# Sets `result` to whether there are nvcc and cuBLAS's headers; find_package(CUDA) is left to TorchConfig.cmake.
function(scdcf_cuda_toolkit result)
  set(roots ${CUDAToolkit_ROOT} ${CUDA_TOOLKIT_ROOT_DIR} $ENV{CUDAToolkit_ROOT} $ENV{CUDA_HOME} $ENV{CUDA_PATH})
  find_program(nvcc nvcc HINTS ${roots} PATHS /usr/local/cuda PATH_SUFFIXES bin NO_CACHE)
  get_filename_component(beside_nvcc "${nvcc}/../.." ABSOLUTE)
  find_path(cublas cublas_v2.h HINTS ${roots} ${beside_nvcc} PATHS /usr/local/cuda
            PATH_SUFFIXES include targets/${CMAKE_SYSTEM_PROCESSOR}-linux/include NO_CACHE)
  set(${result} OFF PARENT_SCOPE)
  if(nvcc AND cublas)
    set(${result} ON PARENT_SCOPE)
  endif()
endfunction()

# Sets `result` to the prefix that Torch_DIR or CMAKE_PREFIX_PATH names, and forgets what was found in another before. Empty for
# Debian's LibTorch, which has the system's prefix.
function(scdcf_torch_prefix result)
  string(REPLACE ":" ";" paths "${CMAKE_PREFIX_PATH};$ENV{CMAKE_PREFIX_PATH}")
  set(folders ${Torch_DIR})
  foreach(path ${paths})
    list(APPEND folders ${path}/share/cmake/Torch ${path}/Torch)  # torch.utils.cmake_prefix_path is PREFIX/share/cmake
  endforeach()
  set(prefix "")
  foreach(folder ${folders})
    get_filename_component(candidate ${folder}/../../.. ABSOLUTE)
    if(EXISTS ${folder}/TorchConfig.cmake AND EXISTS ${candidate}/lib/libtorch.so)
      set(prefix ${candidate})
      break()
    endif()
  endforeach()
  foreach(variable Caffe2_DIR c10_LIBRARY TORCH_LIBRARY)
    string(FIND "${${variable}}" "${prefix}/" start)
    if(prefix AND NOT start EQUAL 0)
      unset(${variable} CACHE)
    endif()
  endforeach()
  set(${result} ${prefix} PARENT_SCOPE)
endfunction()

# The target `torch` and the variables of TorchConfig.cmake, without CUDA.
macro(scdcf_torch_without_cuda)
  set(scdcf_config ${TORCH_INSTALL_PREFIX}/share/cmake)
  include(${scdcf_config}/Torch/TorchConfigVersion.cmake)
  set(Torch_VERSION ${PACKAGE_VERSION})
  message(STATUS "LibTorch ${Torch_VERSION} is a CUDA build; SCDCF_CUDA is ${SCDCF_CUDA}, nvcc with cuBLAS found: ${scdcf_toolkit}. CPU operators alone")
  set(TORCH_INCLUDE_DIRS ${TORCH_INSTALL_PREFIX}/include ${TORCH_INSTALL_PREFIX}/include/torch/csrc/api/include)
  set(TORCH_LIBRARIES torch)
  if(NOT TARGET torch)
    file(READ ${scdcf_config}/Caffe2/Caffe2Targets.cmake scdcf_targets)
    file(READ ${scdcf_config}/Torch/TorchConfig.cmake scdcf_flags)
    string(REGEX MATCH "torch_cpu PROPERTIES[^)]*INTERFACE_COMPILE_DEFINITIONS \"([^\"]*)\"" scdcf_targets "${scdcf_targets}")
    set(scdcf_definitions ${CMAKE_MATCH_1})
    string(REGEX MATCH "_GLIBCXX_USE_CXX11_ABI=[01]" scdcf_abi "${scdcf_flags}")
    add_library(torch INTERFACE IMPORTED)
    set_target_properties(torch PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${TORCH_INCLUDE_DIRS}"
      INTERFACE_COMPILE_DEFINITIONS "${scdcf_definitions};${scdcf_abi}"
      INTERFACE_LINK_LIBRARIES "${TORCH_INSTALL_PREFIX}/lib/libtorch_cpu.so;${TORCH_INSTALL_PREFIX}/lib/libc10.so")
  endif()
  set(Torch_FOUND ON)
endmacro()
