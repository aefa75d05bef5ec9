# SPDX-License-Identifier: Apache-2.0

# libretry_guard_metrics: the metrics by HTTP, for those who want that.
rg_room(rg_metrics_endpoint ${RG_METRICS_ENDPOINT_SOURCES})
target_compile_definitions(rg_metrics_endpoint PRIVATE _GNU_SOURCE)
target_include_directories(rg_metrics_endpoint
  PUBLIC ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(rg_metrics_endpoint
  PUBLIC PkgConfig::MICROHTTPD Threads::Threads)

if(NOT RETRY_GUARD_WITH_GRPC)
  return()
endif()

add_library(retry_guard_metrics SHARED)
set_target_properties(retry_guard_metrics PROPERTIES
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/exports.map)
target_link_options(retry_guard_metrics PRIVATE
  -Wl,--as-needed
  -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/exports.map)
if(NOT RETRY_GUARD_SANITIZE)
  target_link_options(retry_guard_metrics PRIVATE -Wl,--no-undefined)
endif()
target_link_libraries(retry_guard_metrics
  PRIVATE $<BUILD_INTERFACE:rg_metrics_endpoint> PUBLIC retry_guard)

add_library(retry_guard_metrics_static STATIC)
set_target_properties(retry_guard_metrics_static PROPERTIES
  OUTPUT_NAME retry_guard_metrics)
target_link_libraries(retry_guard_metrics_static
  PRIVATE $<BUILD_INTERFACE:rg_metrics_endpoint> PUBLIC retry_guard_static)
