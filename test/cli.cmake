# SPDX-License-Identifier: Apache-2.0

# The tests of the command.
find_program(PROTOC protoc REQUIRED)

# The descriptor sets that they read.
set(descriptors ${CMAKE_CURRENT_BINARY_DIR}/descriptors)
file(MAKE_DIRECTORY ${descriptors})

# Adds the set `name` of `proto`, a file below test/; more goes to protoc.
function(rg_descriptor_set name proto)
  add_custom_command(
    OUTPUT ${descriptors}/${name}
    COMMAND ${PROTOC} -I ${CMAKE_CURRENT_SOURCE_DIR}
      --descriptor_set_out=${descriptors}/${name} ${ARGN} ${proto}
    DEPENDS ${proto} cli/till.proto
    COMMENT "Describing ${proto}"
    VERBATIM)
endfunction()

rg_descriptor_set(shop.pb cli/shop.proto)
rg_descriptor_set(shop_imports.pb cli/shop.proto --include_imports)
rg_descriptor_set(sample.pb config/sample.proto)
add_custom_target(rg_descriptors DEPENDS ${descriptors}/shop.pb
  ${descriptors}/shop_imports.pb ${descriptors}/sample.pb)

# Lets the test `name` run the command.
function(rg_runs_command name)
  add_dependencies(${name} rg_cli_program rg_descriptors)
  target_compile_definitions(${name} PRIVATE
    RG_COMMAND_PATH="$<TARGET_FILE:rg_cli_program>"
    RG_CLI_DIR="${PROJECT_SOURCE_DIR}/plugin/cli"
    RG_DESCRIPTOR_DIR="${descriptors}")
endfunction()

rg_room_tests(cli tests)
rg_test(rg_cli_test LABEL unit SOURCES ${tests}
  LIBS rg_cli rg_sim rg_sim_proto rg_metrics rg_host rg_config rg_core
    rg_proto)
rg_runs_command(rg_cli_test)
