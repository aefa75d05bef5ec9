# SPDX-License-Identifier: Apache-2.0

# Finds libgrpc and its internal headers, and refuses whatever would make a
# plugin that corrupts memory. Defines rg_grpc_api, which everything that
# includes gRPC must link, and rg_grpc_internals, which adds internal headers.

set(RETRY_GUARD_SUPPORTED_GRPC 1.51.1)
# The version that libgrpc itself and its grpc.pc go by.
set(RETRY_GUARD_SUPPORTED_GRPC_CORE 29.0.0)

set(RG_FIND_GRPC_DIR ${CMAKE_CURRENT_LIST_DIR})

# ---- The library -------------------------------------------------------------

# Sets `result` to what pkg-config says of gRPC. It is asked directly: CMake's
# own module asks fourteen times, and each answer takes a second, since gRPC
# names all of Abseil's modules.
function(rg_ask_for_grpc result)
  execute_process(
    COMMAND ${PKG_CONFIG_EXECUTABLE} ${ARGN} grpc
    OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_VARIABLE error
    RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR
      "gRPC was not found: pkg-config knows no complete module 'grpc'. Install "
      "libgrpc-dev (./dev setup does), or let PKG_CONFIG_PATH name the folder "
      "that holds grpc.pc.\n${error}")
  endif()
  set(${result} "${answer}" PARENT_SCOPE)
endfunction()

rg_ask_for_grpc(library_version --modversion)
if(NOT library_version STREQUAL RETRY_GUARD_SUPPORTED_GRPC_CORE)
  message(FATAL_ERROR
    "gRPC core ${library_version} is not supported: this version of Retry "
    "Guard works with gRPC ${RETRY_GUARD_SUPPORTED_GRPC} "
    "(core ${RETRY_GUARD_SUPPORTED_GRPC_CORE}) only, since the internal "
    "structures that it uses change between versions. Install that version, "
    "or let PKG_CONFIG_PATH name the folder that holds its grpc.pc.")
endif()

# Sets `result` to the flags that begin with `option`, without it.
function(rg_pick_flags option result)
  list(FILTER ARGN INCLUDE REGEX "^${option}")
  list(TRANSFORM ARGN REPLACE "^${option}" "")
  set(${result} ${ARGN} PARENT_SCOPE)
endfunction()

rg_ask_for_grpc(flags --cflags --libs)
separate_arguments(flags UNIX_COMMAND "${flags}")
rg_pick_flags(-D definitions ${flags})
rg_pick_flags(-I include_dirs ${flags})
rg_pick_flags(-L library_dirs ${flags})
rg_pick_flags(-l libraries ${flags})

add_library(rg_grpc_api INTERFACE IMPORTED GLOBAL)
target_compile_definitions(rg_grpc_api INTERFACE ${definitions})
# Whatever includes gRPC is compiled as the library was: without NDEBUG, which
# CMake's Release defines.
target_compile_options(rg_grpc_api INTERFACE -UNDEBUG)
target_include_directories(rg_grpc_api INTERFACE ${include_dirs})
target_link_directories(rg_grpc_api INTERFACE ${library_dirs})
target_link_libraries(rg_grpc_api INTERFACE ${libraries})
# A library in a place of its own is found there when programs start, too.
foreach(dir IN LISTS library_dirs)
  target_link_options(rg_grpc_api INTERFACE -Wl,-rpath,${dir})
endforeach()

# Builds and runs link_check.cc; `links` tells whether it linked, `version`
# gets what it printed.
function(rg_link_check links version)
  try_run(status linked
    SOURCES ${RG_FIND_GRPC_DIR}/link_check.cc
    COMPILE_DEFINITIONS ${ARGN}
    LINK_LIBRARIES rg_grpc_api
    COMPILE_OUTPUT_VARIABLE log
    RUN_OUTPUT_VARIABLE printed
    CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON
    NO_CACHE)
  file(WRITE ${PROJECT_BINARY_DIR}/link_check.log "${log}")
  set(${links} ${linked} PARENT_SCOPE)
  set(${version} "${printed}" PARENT_SCOPE)
endfunction()

function(rg_require_matching_library)
  rg_link_check(links version)
  if(NOT links)
    rg_link_check(links_with_ndebug ignored -DRG_EXPECT_NDEBUG)
    if(links_with_ndebug)
      message(FATAL_ERROR
        "This libgrpc was built with NDEBUG: its internal structures differ "
        "from those that Retry Guard is compiled against, and would be "
        "corrupted silently. Use a libgrpc built without NDEBUG, such as the "
        "distribution's libgrpc-dev.")
    endif()
    message(FATAL_ERROR
      "libgrpc cannot be linked: it lacks the internal functions of gRPC "
      "${RETRY_GUARD_SUPPORTED_GRPC}, or was built against another Abseil than "
      "the installed one. Install libgrpc-dev and libabsl-dev of one "
      "distribution; ${PROJECT_BINARY_DIR}/link_check.log has the linker's "
      "words.")
  endif()
  if(NOT version STREQUAL library_version)
    message(FATAL_ERROR
      "grpc.pc and libgrpc do not belong together: grpc.pc says core "
      "${library_version}, the library that the linker takes says '${version}'. "
      "Remove one of the two installations, or let PKG_CONFIG_PATH name the "
      "folder that holds the grpc.pc of the right one.")
  endif()
endfunction()

# Only success is remembered, so that a repaired machine is looked at again.
if(NOT RG_CHECKED_GRPC STREQUAL "${flags}")
  rg_require_matching_library()
  set(RG_CHECKED_GRPC "${flags}" CACHE INTERNAL "")
endif()

# ---- The internal headers ----------------------------------------------------

set(RG_GRPC_SOURCE_DIR ${RETRY_GUARD_GRPC_SOURCE_DIR})
if(NOT RG_GRPC_SOURCE_DIR)
  execute_process(
    COMMAND ${RG_FIND_GRPC_DIR}/fetch_headers.sh
    OUTPUT_VARIABLE RG_GRPC_SOURCE_DIR OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_VARIABLE fetch_error
    RESULT_VARIABLE fetch_status)
  if(NOT fetch_status EQUAL 0)
    message(FATAL_ERROR
      "gRPC's internal headers could not be fetched. Repair what is named "
      "below, or unpack the sources of gRPC ${RETRY_GUARD_SUPPORTED_GRPC} "
      "yourself and configure with -DRETRY_GUARD_GRPC_SOURCE_DIR=<folder>.\n"
      "${fetch_error}")
  endif()
endif()

# Sets `result` to the value of the setting `key` in the source tree.
function(rg_grpc_source_setting key result)
  set(${result} "" PARENT_SCOPE)
  set(file ${RG_GRPC_SOURCE_DIR}/build_handwritten.yaml)
  if(EXISTS ${file})
    file(STRINGS ${file} line REGEX "^  ${key}: ")
    string(REGEX REPLACE "^  ${key}: *" "" line "${line}")
    set(${result} "${line}" PARENT_SCOPE)
  endif()
endfunction()

rg_grpc_source_setting(version source_version)
rg_grpc_source_setting(core_version source_core_version)
if(NOT source_version)
  message(FATAL_ERROR
    "${RG_GRPC_SOURCE_DIR} is no gRPC source tree: it holds no "
    "build_handwritten.yaml that states a version. Let "
    "RETRY_GUARD_GRPC_SOURCE_DIR name the folder of an unpacked gRPC "
    "${RETRY_GUARD_SUPPORTED_GRPC}, or leave it empty to have it fetched.")
endif()
if(NOT source_version STREQUAL RETRY_GUARD_SUPPORTED_GRPC
   OR NOT source_core_version STREQUAL library_version)
  message(FATAL_ERROR
    "gRPC's headers and library differ in version: the source tree "
    "${RG_GRPC_SOURCE_DIR} is gRPC ${source_version} (core "
    "${source_core_version}), the library is core ${library_version}. Let "
    "RETRY_GUARD_GRPC_SOURCE_DIR name a tree of gRPC "
    "${RETRY_GUARD_SUPPORTED_GRPC}, or leave it empty to have it fetched.")
endif()

add_library(rg_grpc_internals INTERFACE)
target_include_directories(rg_grpc_internals SYSTEM INTERFACE
  ${RG_GRPC_SOURCE_DIR})
target_link_libraries(rg_grpc_internals INTERFACE rg_grpc_api)
