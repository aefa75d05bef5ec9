# SPDX-License-Identifier: Apache-2.0

# The instructions of the core's operations, counted as they are installed,
# whatever the build is for. A tenth more may be another compiler's.
list(TRANSFORM RG_CORE_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/plugin/
  OUTPUT_VARIABLE sources)
add_executable(rg_core_count bench/core_count.c bench/core_ops.c ${sources}
  ${PROJECT_SOURCE_DIR}/plugin/host/mark.c)
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  set(as_one -flto=auto)
  # The operations know nothing of the core's insides, nor it of their policies.
  set_source_files_properties(bench/core_ops.c PROPERTIES
    COMPILE_OPTIONS -fno-lto)
endif()
target_compile_options(rg_core_count PRIVATE
  ${RG_INCLUDE_TEST} -O3 -DNDEBUG ${as_one})
target_link_options(rg_core_count PRIVATE ${as_one})
target_link_libraries(rg_core_count PRIVATE rg_proto rg_warnings
  Threads::Threads)
add_test(NAME Bench.TheCoreTakesNoMoreInstructionsThanItMay
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/bench/core_count.sh
    $<TARGET_FILE:rg_core_count> 10)
set_tests_properties(Bench.TheCoreTakesNoMoreInstructionsThanItMay PROPERTIES
  LABELS bench TIMEOUT 300 SKIP_RETURN_CODE 77)
