# SPDX-License-Identifier: Apache-2.0

# What Debian wants in a package besides, put into the folders that CPack is
# about to make packages of.

set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)

set(changelog "retry-guard (${version}) unstable; urgency=medium

  * What changed is in changelog.gz beside this file.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")

set(copyright "\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: retry-guard

Files: *
Copyright: 2026 the authors of Retry Guard
License: Apache-2.0
 On Debian systems the whole text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
")

function(rg_run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(rg_add_documents component)
  string(TOUPPER ${component} key)
  set(package ${CPACK_DEBIAN_${key}_PACKAGE_NAME})
  set(share ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share)
  set(doc ${share}/doc/${package})
  file(WRITE ${doc}/copyright "${copyright}")
  file(WRITE ${doc}/changelog.Debian "${changelog}")
  configure_file(${CMAKE_CURRENT_LIST_DIR}/../../CHANGELOG.md
    ${doc}/changelog COPYONLY NO_SOURCE_PERMISSIONS)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/debian_overrides.in
    ${share}/lintian/overrides/${package} @ONLY NO_SOURCE_PERMISSIONS)
  file(GLOB manuals ${share}/man/*/*)
  # With neither name nor time, so that equal files stay equal.
  rg_run(gzip -9n ${doc}/changelog.Debian ${doc}/changelog ${manuals})
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  rg_add_documents(${component})
endforeach()

# As Debian's own packages: what the linker optimises as one fits this very
# compiler.
file(GLOB_RECURSE archives ${CPACK_TEMPORARY_DIRECTORY}/dev/*.a)
rg_run(strip --strip-debug --enable-deterministic-archives
  --remove-section=.comment --remove-section=.gnu.lto_* ${archives})
