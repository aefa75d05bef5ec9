# SPDX-License-Identifier: Apache-2.0

# Programs that know nothing of the guard, for the tests of the preloaded one. A
# sanitizer's library cannot be preloaded into them.

add_executable(rg_plain_cpp_tier e2e/cpp_tier.cc)
target_compile_definitions(rg_plain_cpp_tier PRIVATE RG_PLAIN)
target_link_libraries(rg_plain_cpp_tier
  PRIVATE ${GRPCXX_LIBRARY} rg_grpc_api rg_warnings)

# Adds rg_<name> of plain.c and more sources.
function(rg_plain_program name)
  add_executable(rg_${name} e2e/plain.c ${ARGN})
  target_compile_options(rg_${name} PRIVATE
    $<TARGET_PROPERTY:rg_grpc_api,INTERFACE_COMPILE_OPTIONS>)
  target_link_libraries(rg_${name} PRIVATE rg_warnings)
  add_dependencies(rg_plain_programs rg_${name})
endfunction()

add_custom_target(rg_plain_programs)
rg_plain_program(plain)
target_link_libraries(rg_plain PRIVATE rg_grpc_api)

# Its own function comes before the library's.
rg_plain_program(plain_version e2e/plain_version.c)
target_link_libraries(rg_plain_version PRIVATE rg_grpc_api)
set_target_properties(rg_plain_version PROPERTIES ENABLE_EXPORTS ON)

rg_plain_program(plain_loader e2e/plain_loader.c)
target_link_libraries(rg_plain_loader PRIVATE rg_grpc_api)
target_compile_definitions(rg_plain_loader PRIVATE _GNU_SOURCE)
set_target_properties(rg_plain_loader PROPERTIES ENABLE_EXPORTS ON)

# A gRPC library of another name.
find_library(GRPC_UNSECURE_LIBRARY grpc_unsecure REQUIRED)
rg_plain_program(plain_unsecure)
target_link_libraries(rg_plain_unsecure PRIVATE ${GRPC_UNSECURE_LIBRARY})

# gRPC in the program itself, linked as pkg-config says; gRPC's module does not
# say what its RE2 needs.
rg_ask_for_grpc(static_flags --static --libs re2)
separate_arguments(static_flags UNIX_COMMAND "${static_flags}")
rg_plain_program(plain_static)
set_target_properties(rg_plain_static PROPERTIES LINKER_LANGUAGE CXX)
target_link_libraries(rg_plain_static PRIVATE
  -Wl,-Bstatic -Wl,--start-group ${static_flags} -Wl,--end-group -Wl,-Bdynamic)

rg_test(rg_preloaded_test LABEL e2e LIBS rg_test_support
  SOURCES e2e/preloaded_test.cc e2e/ruby_test.cc)
add_dependencies(rg_preloaded_test rg_plain_programs rg_plain_cpp_tier rg_tier
  rg_readme_example retry_guard_preload rg_cli_program)
target_compile_definitions(rg_preloaded_test PRIVATE
  RG_COMMAND_PATH="$<TARGET_FILE:rg_cli_program>"
  RG_PRELOAD_PATH="$<TARGET_FILE:retry_guard_preload>"
  RG_TIER_PATH="$<TARGET_FILE:rg_tier>"
  RG_PLAIN_CPP_TIER_PATH="$<TARGET_FILE:rg_plain_cpp_tier>"
  RG_PLAIN_PATH="$<TARGET_FILE:rg_plain>"
  RG_README_EXAMPLE_PATH="$<TARGET_FILE:rg_readme_example>"
  RG_RUBY_DIR="${CMAKE_CURRENT_SOURCE_DIR}/e2e")
