# SPDX-License-Identifier: Apache-2.0

# libretry_guard_preload.so. It is loaded into programs that have no gRPC, so it
# is linked to neither gRPC nor the guard's own library, and is no C++.

# The library that it looks for in a process.
string(REGEX MATCH "^[0-9]+" grpc_major ${RETRY_GUARD_SUPPORTED_GRPC_CORE})

rg_room(rg_preload ${RG_PRELOAD_SOURCES})
target_compile_definitions(rg_preload PUBLIC
  _GNU_SOURCE RG_PRELOAD_GRPC_SONAME="libgrpc.so.${grpc_major}")
target_include_directories(rg_preload PUBLIC ${PROJECT_SOURCE_DIR}/include)

add_library(retry_guard_preload MODULE ${RG_PRELOAD_LIBRARY_SOURCES})
target_link_libraries(retry_guard_preload PRIVATE rg_preload rg_warnings)
target_link_options(retry_guard_preload PRIVATE -Wl,--as-needed)
if(NOT RETRY_GUARD_SANITIZE)
  target_link_options(retry_guard_preload PRIVATE -Wl,--no-undefined)
endif()
# It needs the libraries beside it.
add_dependencies(retry_guard_preload retry_guard)
if(TARGET retry_guard_metrics)
  add_dependencies(retry_guard_preload retry_guard_metrics)
endif()
