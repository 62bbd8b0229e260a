# scdcf_find_torch(ARGUMENTS...) is find_package(Torch ARGUMENTS...) with two corrections. The installed package has it too.
#
# TorchConfig.cmake searches the system's folders before its own, for libc10, libtorch and Caffe2: where Debian's LibTorch is
# installed beside another, a program loads both and ends with "double free". Here all come from the prefix of TorchConfig.cmake.
#
# TorchConfig.cmake of a CUDA build fails where there is no nvcc. Here such a LibTorch serves for CPU operators alone.
macro(scdcf_find_torch)
  find_program(SCDCF_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin
               DOC "The CUDA compiler; OFF builds CPU operators alone against a CUDA LibTorch")
  scdcf_torch_prefix(TORCH_INSTALL_PREFIX)
  if(EXISTS ${TORCH_INSTALL_PREFIX}/lib/libtorch_cuda.so AND NOT SCDCF_NVCC)
    scdcf_torch_without_cuda()
  else()
    set(scdcf_prefix_path ${CMAKE_PREFIX_PATH})
    list(PREPEND CMAKE_PREFIX_PATH ${TORCH_INSTALL_PREFIX})
    find_package(Torch ${ARGN})
    set(CMAKE_PREFIX_PATH ${scdcf_prefix_path})
  endif()
endmacro()

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
  include(${TORCH_INSTALL_PREFIX}/share/cmake/Torch/TorchConfigVersion.cmake)
  set(Torch_VERSION ${PACKAGE_VERSION})
  message(STATUS "LibTorch ${Torch_VERSION} is a CUDA build, but there is no nvcc: CPU operators alone")
  set(TORCH_INCLUDE_DIRS ${TORCH_INSTALL_PREFIX}/include ${TORCH_INSTALL_PREFIX}/include/torch/csrc/api/include)
  set(TORCH_LIBRARIES torch)
  if(NOT TARGET torch)
    add_library(torch INTERFACE IMPORTED)
    target_include_directories(torch INTERFACE ${TORCH_INCLUDE_DIRS})
    target_compile_definitions(torch INTERFACE USE_DISTRIBUTED)
    target_link_libraries(torch INTERFACE ${TORCH_INSTALL_PREFIX}/lib/libtorch_cpu.so ${TORCH_INSTALL_PREFIX}/lib/libc10.so)
  endif()
  set(Torch_FOUND ON)
endmacro()
