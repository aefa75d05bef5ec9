# SPDX-License-Identifier: Apache-2.0

# The tests that need gRPC, and the programs that they start.

file(GLOB support_sources CONFIGURE_DEPENDS support/*.c)
file(GLOB support_protos CONFIGURE_DEPENDS
  RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} support/*.proto)
rg_protobuf_c(rg_test_proto ${CMAKE_CURRENT_SOURCE_DIR} ${support_protos})
add_library(rg_test_support STATIC
  ${support_sources} $<TARGET_OBJECTS:rg_test_proto>)
target_compile_definitions(rg_test_support PRIVATE _GNU_SOURCE)
target_compile_options(rg_test_support PUBLIC ${RG_INCLUDE_TEST})
target_link_libraries(rg_test_support
  PUBLIC rg_grpc_api rg_test_proto Threads::Threads PRIVATE rg_warnings)

# Adds the program rg_<name> of e2e/<name>.c and e2e/<name>_*.c, which uses the
# plugin as any application does: the shared library and its public headers.
function(rg_program name)
  file(GLOB sources CONFIGURE_DEPENDS e2e/${name}.c e2e/${name}_*.c)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/e2e/${name}.c)
    add_executable(rg_${name} ${sources})
    target_compile_definitions(rg_${name} PRIVATE _GNU_SOURCE)
    target_link_libraries(rg_${name}
      PRIVATE retry_guard rg_test_support rg_warnings)
  endif()
endfunction()

rg_program(tier)
rg_program(demo)
if(TARGET retry_guard_metrics)
  target_compile_definitions(rg_tier PRIVATE RG_WITH_METRICS_ENDPOINT)
  target_link_libraries(rg_tier PRIVATE retry_guard_metrics)
endif()

# A middle tier in C++, on gRPC's C++ library.
find_library(GRPCXX_LIBRARY grpc++ REQUIRED)
add_executable(rg_cpp_tier e2e/cpp_tier.cc)
target_link_libraries(rg_cpp_tier
  PRIVATE retry_guard ${GRPCXX_LIBRARY} rg_grpc_api rg_warnings)

# Many calls at once.
file(GLOB sources CONFIGURE_DEPENDS e2e/stress*.cc)
add_executable(rg_stress ${sources})
target_link_libraries(rg_stress
  PRIVATE retry_guard rg_test_support rg_warnings)
add_test(NAME Stress.LeavesNothingBehind COMMAND rg_stress 4000)
set_tests_properties(Stress.LeavesNothingBehind PROPERTIES
  LABELS e2e TIMEOUT 300)

# The examples of the README, compiled and run as they stand there.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/README.md)
file(READ ${PROJECT_SOURCE_DIR}/README.md readme)

# Makes the program `name` of the example in the language that the README calls
# `language`, and the test `test` of it.
function(rg_readme_example name language extension test)
  string(REGEX MATCH "```${language}\n([^`]*)```" ignored "${readme}")
  file(CONFIGURE OUTPUT ${name}.${extension} CONTENT "${CMAKE_MATCH_1}" @ONLY)
  add_executable(${name} ${CMAKE_CURRENT_BINARY_DIR}/${name}.${extension})
  target_link_libraries(${name} PRIVATE retry_guard rg_grpc_api rg_warnings)
  add_test(NAME Readme.${test} COMMAND ${name})
  set_tests_properties(Readme.${test} PROPERTIES LABELS e2e)
endfunction()
rg_readme_example(rg_readme_example c c TheExampleRuns)
rg_readme_example(rg_readme_example_cpp cpp cc TheExampleInCppRuns)

rg_room_tests(support tests)
rg_test(rg_support_test LABEL support SOURCES ${tests} LIBS rg_test_support)

rg_room_tests(grpc tests)
rg_test(rg_grpc_test LABEL grpc SOURCES ${tests}
  LIBS rg_grpc rg_host rg_config rg_core rg_proto rg_test_support)
rg_runs_command(rg_grpc_test)

rg_room_tests(preload tests)
rg_test(rg_preload_test LABEL unit SOURCES ${tests} LIBS rg_preload)

if(NOT RETRY_GUARD_SANITIZE)
  include(e2e/preloaded.cmake)
  include(gameday.cmake)
endif()
# Tests that load the shared library; those of load/ have no gRPC besides.
rg_room_tests(load tests)
rg_test(rg_load_test LABEL e2e SOURCES ${tests} LIBS ${CMAKE_DL_LIBS})
target_include_directories(rg_load_test PRIVATE ${PROJECT_SOURCE_DIR}/include)
foreach(test rg_grpc_test rg_load_test)
  add_dependencies(${test} retry_guard)
  target_compile_definitions(${test} PRIVATE
    RG_LIBRARY_PATH="$<TARGET_FILE:retry_guard>")
endforeach()

rg_test(rg_memory_plugin_test LABEL grpc
  SOURCES memory/plugin_test.cc memory/scarce_heap.cc
  LIBS retry_guard rg_test_support)

rg_room_tests(e2e tests)
list(FILTER tests EXCLUDE REGEX "/(preloaded|ruby)_test")
if(NOT TARGET retry_guard_metrics)
  list(FILTER tests EXCLUDE REGEX "/prometheus_test")
endif()
rg_test(rg_e2e_test LABEL e2e SOURCES ${tests}
  LIBS retry_guard rg_test_support PkgConfig::JANSSON)
if(TARGET rg_e2e_test)
  add_dependencies(rg_e2e_test rg_tier rg_cpp_tier)
  target_compile_definitions(rg_e2e_test PRIVATE
    RG_TIER_PATH="$<TARGET_FILE:rg_tier>"
    RG_CPP_TIER_PATH="$<TARGET_FILE:rg_cpp_tier>"
    RG_SCRATCH_DIR="${CMAKE_CURRENT_BINARY_DIR}/scratch"
    RG_METRICS_DIR="${PROJECT_SOURCE_DIR}/plugin/metrics"
    RG_NODE_CLIENT="${CMAKE_CURRENT_SOURCE_DIR}/e2e/node_client.js")
endif()

option(RETRY_GUARD_UPSTREAM_TESTS "Build gRPC's own retry tests" ON)
if(RETRY_GUARD_UPSTREAM_TESTS)
  add_subdirectory(grpc/upstream)
endif()

# In a process of its own, where the guard is registered.
rg_test(rg_fault_test LABEL e2e SOURCES e2e/faults.cc
  LIBS retry_guard rg_test_support)
add_dependencies(rg_fault_test rg_tier)
target_compile_definitions(rg_fault_test PRIVATE
  RG_TIER_PATH="$<TARGET_FILE:rg_tier>")
