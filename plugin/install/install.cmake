# SPDX-License-Identifier: Apache-2.0

# What `cmake --install` puts where; with --component, one of
#
#   runtime  the library
#   metrics  the library with the metrics endpoint
#   dev      headers, static libraries, and how CMake and pkg-config find it all
#   tools    the command, and what else operators use
#
# What is installed finds the rest of it from where it is itself, so the prefix
# may be moved as a whole.

include(CMakePackageConfigHelpers)

set(RG_INSTALL_DIR ${CMAKE_CURRENT_LIST_DIR})
set(RG_INSTALL_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/RetryGuard)
set(RG_PLUGIN_DIR ${PROJECT_SOURCE_DIR}/plugin)

# ---- Tools -------------------------------------------------------------------

install(TARGETS rg_cli_program COMPONENT tools)
install(FILES ${RG_PLUGIN_DIR}/cli/retry-guard.1
  DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
install(FILES ${RG_PLUGIN_DIR}/cli/retry-guard.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME retry-guard COMPONENT tools)
install(FILES
  ${RG_PLUGIN_DIR}/metrics/alerts.yml
  ${RG_PLUGIN_DIR}/metrics/dashboard.json
  ${PROJECT_SOURCE_DIR}/proto/retry_guard/v1/policy.proto
  ${PROJECT_SOURCE_DIR}/proto/retry_guard/v1/scenario.proto
  DESTINATION ${CMAKE_INSTALL_DATADIR}/retry-guard COMPONENT tools)
install(DIRECTORY ${RG_PLUGIN_DIR}/sim/scenarios
  DESTINATION ${CMAKE_INSTALL_DATADIR}/retry-guard COMPONENT tools)

if(NOT RETRY_GUARD_WITH_GRPC)
  return()
endif()

# It is what `retry-guard run` loads into programs.
install(TARGETS retry_guard_preload
  DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT tools)

# ---- Libraries ---------------------------------------------------------------

# Sets `result` to the flags that link the libraries whose names follow, which
# may be in the folders `dirs`.
function(rg_link_flags result dirs)
  list(REMOVE_ITEM dirs ${CMAKE_C_IMPLICIT_LINK_DIRECTORIES})
  list(REMOVE_DUPLICATES dirs)
  list(TRANSFORM dirs PREPEND -L)
  list(REMOVE_DUPLICATES ARGN)
  list(TRANSFORM ARGN PREPEND -l)
  set(${result} ${dirs} ${ARGN} PARENT_SCOPE)
endfunction()

# Installs `library` and its static twin. Users know them as <name> and
# <name>_static, in CMake with RetryGuard:: before it, and pkg-config by the
# name of the library. More arguments are what the static one needs.
function(rg_install_library library name component)
  target_link_libraries(${library}_static
    INTERFACE "$<INSTALL_INTERFACE:${ARGN}>")
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
  set_target_properties(${library}_static PROPERTIES
    EXPORT_NAME ${name}_static)
  install(TARGETS ${library} ${library}_static EXPORT RetryGuard_${name}
    LIBRARY COMPONENT ${component} NAMELINK_COMPONENT dev
    ARCHIVE COMPONENT dev
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT RetryGuard_${name} NAMESPACE RetryGuard::
    DESTINATION ${RG_INSTALL_CMAKE_DIR} COMPONENT dev)
  # The names in an added subdirectory.
  add_library(RetryGuard::${name} ALIAS ${library})
  add_library(RetryGuard::${name}_static ALIAS ${library}_static)

  file(RELATIVE_PATH RG_PC_TO_PREFIX
    ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  list(JOIN ARGN " " RG_PC_PRIVATE)
  configure_file(${RG_INSTALL_DIR}/${library}.pc.in ${library}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${library}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endfunction()

get_property(dirs TARGET rg_grpc_api PROPERTY INTERFACE_LINK_DIRECTORIES)
get_property(libraries TARGET rg_grpc_api PROPERTY INTERFACE_LINK_LIBRARIES)
rg_link_flags(flags
  "${PROTOBUF_C_LIBRARY_DIRS};${JANSSON_LIBRARY_DIRS};${dirs}"
  ${PROTOBUF_C_LIBRARIES} ${JANSSON_LIBRARIES} ${libraries} stdc++ m)
rg_install_library(retry_guard retry_guard runtime ${flags})

set(headers PATTERN metrics_endpoint.h EXCLUDE)
if(TARGET retry_guard_metrics)
  set(headers "")
  rg_link_flags(flags "${MICROHTTPD_LIBRARY_DIRS}" ${MICROHTTPD_LIBRARIES})
  rg_install_library(retry_guard_metrics metrics metrics ${flags})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/retry_guard
  TYPE INCLUDE COMPONENT dev ${headers})

# ---- What CMake's users find -------------------------------------------------

configure_file(${RG_INSTALL_DIR}/RetryGuardConfig.cmake.in
  RetryGuardConfig.cmake @ONLY)
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/RetryGuardConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/RetryGuardConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/RetryGuardConfigVersion.cmake
  DESTINATION ${RG_INSTALL_CMAKE_DIR} COMPONENT dev)

# Last, since it knows of what is installed only by then.
include(${RG_INSTALL_DIR}/debian.cmake)
