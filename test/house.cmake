# SPDX-License-Identifier: Apache-2.0

# The rules of the house that no compiler checks.

# Adds the test House.<name>, a script of support/; 77 says that it was skipped.
function(rg_house_test name script)
  add_test(NAME House.${name}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/support/${script} ${ARGN})
  set_tests_properties(House.${name} PROPERTIES
    LABELS house TIMEOUT 300 SKIP_RETURN_CODE 77)
endfunction()

rg_house_test(ArrowsPointDownwards arrow_law.sh ${PROJECT_SOURCE_DIR})
rg_house_test(PublicHeadersCompileAlone headers_alone.sh
  ${PROJECT_SOURCE_DIR}/include)
rg_house_test(EverySourceIsListed sources_listed.sh ${PROJECT_SOURCE_DIR}/plugin)
rg_house_test(EveryFileStatesItsLicence spdx.sh ${PROJECT_SOURCE_DIR})
rg_house_test(SourcesAreFormatted clang_format.sh ${PROJECT_SOURCE_DIR})
if(RETRY_GUARD_WITH_GRPC)
  rg_house_test(OnlyTheApiIsExported exported_symbols.sh
    $<TARGET_FILE:retry_guard>
    ${PROJECT_SOURCE_DIR}/include/retry_guard/retry_guard.h
    ${PROJECT_SOURCE_DIR}/include/retry_guard/stats.h
    ${PROJECT_SOURCE_DIR}/include/retry_guard/metrics.h)
  if(TARGET retry_guard_metrics)
    rg_house_test(OnlyTheEndpointIsExported exported_symbols.sh
      $<TARGET_FILE:retry_guard_metrics>
      ${PROJECT_SOURCE_DIR}/include/retry_guard/metrics_endpoint.h)
  endif()
endif()

# Adds the tests <suite>.<case> of a script: its functions named in capitals.
# The script gets the case, the further arguments and a scratch folder.
function(rg_script_test suite script)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/${script})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
  file(STRINGS ${script} cases REGEX "^[A-Z][A-Za-z]*\\(\\) {")
  foreach(case IN LISTS cases)
    string(REGEX REPLACE "\\(.*" "" case ${case})
    add_test(NAME ${suite}.${case} COMMAND ${script} ${case} ${ARGN}
      ${CMAKE_CURRENT_BINARY_DIR}/${suite}/${case})
    set_tests_properties(${suite}.${case} PROPERTIES LABELS house TIMEOUT 300)
  endforeach()
endfunction()

if(RETRY_GUARD_WITH_GRPC)
  rg_script_test(Configure grpc/configure_test.sh
    ${PROJECT_SOURCE_DIR}
    $<TARGET_PROPERTY:rg_grpc_internals,INTERFACE_INCLUDE_DIRECTORIES>)
  rg_script_test(FetchHeaders grpc/fetch_headers_test.sh
    ${PROJECT_SOURCE_DIR}/plugin/grpc/fetch_headers.sh)
  if(TARGET retry_guard_metrics)
    rg_script_test(Install install/install_test.sh
      ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  endif()
endif()

# Two minutes of a processor, once; later runs build what changed.
add_test(NAME Bazel.BuildsTheLibraryAndItsTestsPass
  COMMAND ${PROJECT_SOURCE_DIR}/bazel/test.sh ${PROJECT_SOURCE_DIR}/build/bazel)
set_tests_properties(Bazel.BuildsTheLibraryAndItsTestsPass PROPERTIES
  LABELS house TIMEOUT 1200 RUN_SERIAL TRUE SKIP_RETURN_CODE 77)

# The part of ./dev verify that takes seconds.
rg_house_test(LockFreePartsHoldInAllInterleavings ../verify/verify.sh
  ${CMAKE_CURRENT_BINARY_DIR}/verify --short)
