# SPDX-License-Identifier: Apache-2.0

# Debian packages of what is installed, one a component: `cpack -G DEB`, after
# configuring with the prefix /usr. The preset "package" does that.
#
#   libretry-guard0          runtime. What its soname names and nothing else, so
#                            that it can stay when the next soname comes.
#   libretry-guard-metrics0  metrics. It has a soname of its own, and not every
#                            program wants an HTTP server.
#   libretry-guard-dev       dev
#   retry-guard-tools        tools. The preload library is here since only
#                            `retry-guard run` needs it, and since its name has
#                            no version. It brings the libraries in only where
#                            a program uses gRPC: they are recommended, and to
#                            check service configs nothing else is needed.

find_program(DPKG_QUERY dpkg-query)
mark_as_advanced(DPKG_QUERY)
if(NOT DPKG_QUERY OR NOT TARGET retry_guard_metrics)
  return()
endif()

# Sets `result` to "package (= version)" of the library `name` that is linked,
# and "" if it comes from no package.
function(rg_exact_package name result)
  get_property(dirs TARGET rg_grpc_api PROPERTY INTERFACE_LINK_DIRECTORIES)
  find_library(library ${name} HINTS ${dirs} NO_CACHE)
  file(REAL_PATH "${library}" file)
  execute_process(COMMAND ${DPKG_QUERY} -S ${file}
    OUTPUT_VARIABLE owner ERROR_QUIET)
  string(REGEX REPLACE ": .*" "" owner "${owner}")
  execute_process(
    COMMAND ${DPKG_QUERY} -W -f "\${Package} (= \${Version})" "${owner}"
    OUTPUT_VARIABLE package ERROR_QUIET)
  set(${result} "${package}" PARENT_SCOPE)
endfunction()

# gRPC's internals are what they were built against in that very build only.
rg_exact_package(grpc grpc)
if(NOT grpc)
  message(STATUS "No Debian packages can be made: libgrpc comes from none")
  return()
endif()

# ---- All packages ------------------------------------------------------------

# A package fits one distribution, as gRPC does.
cmake_host_system_information(RESULT system QUERY DISTRIB_INFO)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1~${system_ID}${system_VERSION_ID})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME retry-guard)
set(CPACK_DEBIAN_PACKAGE_SOURCE retry-guard)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_PACKAGE_CONTACT "Retry Guard <retry-guard@localhost>")
if(DEFINED ENV{DEBEMAIL}) # as Debian's own tools have it
  set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Where the packages' own libraries are while they are made.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/plugin)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY >=)
set(CPACK_PRE_BUILD_SCRIPTS ${RG_INSTALL_DIR}/debian_files.cmake)

# ---- Each package ------------------------------------------------------------

# Describes the package `name` of `component`: the section, what it is in one
# line and in more, and values of control fields.
function(rg_debian_package component name section summary text)
  string(TOUPPER ${component} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  while(ARGN)
    list(POP_FRONT ARGN field value)
    set(CPACK_DEBIAN_${key}_PACKAGE_${field} "${value}" PARENT_SCOPE)
  endwhile()
endfunction()

set(what "Retry Guard is a plugin for gRPC that makes its retries safe: a bounded
share of traffic, in one layer of a call tree, within the caller's deadline,
and away from what is down.")
set(soversion ${PROJECT_VERSION_MAJOR})

rg_debian_package(runtime libretry-guard${soversion} libs
  "makes gRPC's own retries safe"
  "${what}\n.\nThis is the library that programs link."
  DEPENDS "${grpc}")
rg_debian_package(metrics libretry-guard-metrics${soversion} libs
  "makes gRPC's own retries safe (metrics by HTTP)"
  "${what}\n.\nThis library serves its metrics to Prometheus.")
set(CPACK_COMPONENT_METRICS_DEPENDS runtime)
foreach(key RUNTIME METRICS)
  set(CPACK_DEBIAN_${key}_PACKAGE_CONTROL_EXTRA ${RG_INSTALL_DIR}/triggers)
endforeach()
# The suggested package is for static linking with the metrics; it would bring
# a dozen others.
rg_debian_package(dev libretry-guard-dev libdevel
  "makes gRPC's own retries safe (development files)"
  "${what}\n.\nThese are the headers and the static libraries."
  DEPENDS "libgrpc-dev, libjansson-dev, libprotobuf-c-dev"
  SUGGESTS libmicrohttpd-dev)
set(CPACK_COMPONENT_DEV_DEPENDS runtime metrics)
rg_debian_package(tools retry-guard-tools net
  "checks gRPC's retry policies, and guards programs as they are"
  "${what}\n.\nThe command retry-guard checks and explains service configs,
simulates what a fleet makes of them, shows what a guarded program does, and
runs programs that know nothing of the guard with it. Alerts for Prometheus and
a dashboard are in /usr/share/retry-guard."
  RECOMMENDS "libretry-guard${soversion}, libretry-guard-metrics${soversion}"
  SUGGESTS gnuplot)

include(CPack)
