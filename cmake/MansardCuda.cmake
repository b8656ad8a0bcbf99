# SPDX-License-Identifier: Apache-2.0
# Whether this build has CUDA. Sets MANSARD_HAVE_CUDA and, if so, enables the language and provides
# the CUDA:: targets.
set(MANSARD_HAVE_CUDA OFF)
if(NOT MANSARD_CUDA STREQUAL "OFF")
  find_program(MANSARD_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
  if(MANSARD_NVCC)
    # A wrapper left behind by a removed toolkit does not count as a compiler.
    execute_process(COMMAND ${MANSARD_NVCC} --version RESULT_VARIABLE nvcc_result OUTPUT_QUIET ERROR_QUIET)
    if(NOT nvcc_result EQUAL 0)
      message(STATUS "${MANSARD_NVCC} does not run")
      unset(MANSARD_NVCC CACHE)
    endif()
  endif()
  if(MANSARD_NVCC)
    set(CMAKE_CUDA_COMPILER ${MANSARD_NVCC})
    # The libraries set the architectures of each file; this value only satisfies the probe.
    set(CMAKE_CUDA_ARCHITECTURES 80)
    enable_language(CUDA)
    if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      # CMake before 3.26 does not know that nvcc 12 and later support C++20.
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    find_package(CUDAToolkit 12.8 REQUIRED)
    set(MANSARD_HAVE_CUDA ON)
    # CUPTI is beside the other libraries or in extras/CUPTI.
    find_path(MANSARD_CUPTI_INCLUDE_DIR cupti.h
      HINTS ${CUDAToolkit_INCLUDE_DIRS} ${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/include)
    find_library(MANSARD_CUPTI_LIBRARY cupti
      HINTS ${CUDAToolkit_LIBRARY_DIR} ${CUDAToolkit_LIBRARY_ROOT}/lib
            ${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/lib64)
    if(NOT MANSARD_CUPTI_INCLUDE_DIR)
      message(STATUS "CUPTI's headers not found: `mansard profile` will record NVTX ranges only")
    endif()
  elseif(MANSARD_CUDA STREQUAL "ON")
    message(FATAL_ERROR "MANSARD_CUDA=ON, but nvcc was not found. Put it on PATH, set CUDA_HOME, "
                        "or use -DMANSARD_CUDA=OFF.")
  else()
    message(STATUS "nvcc not found: building without CUDA")
  endif()
endif()

# Adds an object library of `sources` to `target`, compiled only for `architectures`.
function(mansard_cuda_objects target name architectures)
  if(NOT ARGN)
    return()
  endif()
  add_library(${name} OBJECT ${ARGN})
  set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
  target_link_libraries(${name} PRIVATE mansard_flags CUDA::cudart_static)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${name}>)
endfunction()
