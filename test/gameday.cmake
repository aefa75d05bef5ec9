# SPDX-License-Identifier: Apache-2.0

# Game-days: scenarios of the simulator, played with real processes. The guard is
# preloaded into them, which a sanitizer's library cannot be; and they are about
# time, of which sanitizers take too much.

# What they know of scenarios, and what the simulator makes of them.
set(gameday_rooms rg_sim rg_sim_proto rg_host rg_config rg_core rg_proto)
file(GLOB gameday_sources CONFIGURE_DEPENDS gameday/*.c)
list(FILTER gameday_sources EXCLUDE REGEX "/(gameday|client|server)\\.c$")
add_library(rg_gameday_parts OBJECT ${gameday_sources})
target_compile_definitions(rg_gameday_parts PRIVATE _GNU_SOURCE)
target_link_libraries(rg_gameday_parts
  PUBLIC ${gameday_rooms} rg_test_support PRIVATE rg_warnings)

# Adds the program `name` of gameday/<source>.c.
function(rg_gameday_program name source)
  add_executable(${name} gameday/${source}.c)
  target_compile_definitions(${name} PRIVATE _GNU_SOURCE
    RG_COMMAND_PATH="$<TARGET_FILE:rg_cli_program>")
  target_link_libraries(${name} PRIVATE rg_gameday_parts ${gameday_rooms}
    rg_cli rg_preload rg_test_support rg_warnings)
endfunction()

rg_gameday_program(rg_gameday_client client)
rg_gameday_program(rg_gameday_server server)
rg_gameday_program(rg_gameday gameday)
add_dependencies(rg_gameday rg_gameday_client rg_gameday_server
  retry_guard_preload retry_guard rg_cli_program)

rg_room_tests(gameday tests)
rg_test(rg_gameday_test LABEL unit SOURCES ${tests}
  LIBS rg_gameday_parts ${gameday_rooms} rg_cli rg_preload rg_test_support)

# Adds the test GameDay.<name>: a scenario goes with real processes as in the
# simulator. Both variants are played at the same time, since they mostly wait.
# Skipped where the machine is too busy for them to keep time.
function(rg_gameday_test name scenario)
  add_test(NAME GameDay.${name}
    COMMAND rg_gameday --judge --together
      ${PROJECT_SOURCE_DIR}/plugin/sim/scenarios/${scenario}.json ${ARGN})
  set_tests_properties(GameDay.${name} PROPERTIES
    LABELS gameday TIMEOUT 300 RUN_SERIAL ON SKIP_RETURN_CODE 77)
endfunction()

rg_gameday_test(AStalledLedgerIsAsSimulated ledger-pause
  25 --scale=0.4 --calm=12)
rg_gameday_test(ThreeTiersAreAsSimulated three-tiers
  20 --calm=12 --trouble=8)
