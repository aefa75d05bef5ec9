# SPDX-License-Identifier: Apache-2.0

# The tests of the command.

# Lets the test `name` run the command.
function(rg_runs_command name)
  add_dependencies(${name} rg_cli_program)
  target_compile_definitions(${name} PRIVATE
    RG_COMMAND_PATH="$<TARGET_FILE:rg_cli_program>")
endfunction()

rg_room_tests(cli tests)
rg_test(rg_cli_test LABEL unit SOURCES ${tests}
  LIBS rg_cli rg_host rg_config rg_core rg_proto)
rg_runs_command(rg_cli_test)
