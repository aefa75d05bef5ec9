# SPDX-License-Identifier: Apache-2.0

# The tests of the command.
rg_room_tests(cli tests)
rg_test(rg_cli_test LABEL unit SOURCES ${tests}
  LIBS rg_cli rg_host rg_config rg_core rg_proto)
