#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Users' programs, in C and C++, find what was installed by CMake and by
# pkg-config, and are guarded. Usage: install_test.sh CASE TREE BUILD WORK
#   CASE   a function of this file
#   TREE   the project
#   BUILD  a build tree of it; "": what is installed in the system
#   WORK   a scratch folder
set -euo pipefail

tree=$2
build=$3
work=$4
programs=$tree/test/install

# ---- Steps -------------------------------------------------------------------

# Installs, all or the components named, and moves it: nothing may depend on
# where it was installed. Lets everything be found there.
install() {
  local component
  [ -n "$build" ] || return 0
  for component in "${@:-}"; do
    cmake --install "$build" --prefix "$work/installed" \
      ${component:+--component "$component"} >>"$work/install.log"
  done
  mv "$work/installed" "$prefix"
}

find_everything() {
  local libdir
  [ -n "$build" ] || return 0
  libdir=$(dirname "$(find "$prefix" -name 'libretry_guard*.so' -print -quit)")
  export PATH=$prefix/bin:$PATH LD_LIBRARY_PATH=$libdir
  export PKG_CONFIG_PATH=$libdir/pkgconfig CMAKE_PREFIX_PATH=$prefix
}

make_programs() {
  mkdir -p "$work/make"
  make -s -C "$work/make" -f "$programs/$1/Makefile" TREE="$tree" "${@:2}"
}

cmake_programs() {
  cmake -S "$programs/$1" -B "$work/cmake" "${@:2}" >"$work/cmake.log"
  cmake --build "$work/cmake" >>"$work/cmake.log"
}

# The programs in the folder $1 are guarded, and one of them needs no library of
# ours.
expect_guarded() {
  "$1/shared"
  env -u LD_LIBRARY_PATH "$1/static"
  ldd "$1/shared" | grep -F libretry_guard >/dev/null
  if ldd "$1/static" | grep -F libretry_guard; then exit 1; fi
}

# What the component $1 installs, one file a line, is exactly the rest; a
# library's folder and version are left out.
expect_files() {
  local found
  install "$1"
  found=$(cd "$prefix" && find . -type f -o -type l |
    sed -E 's|^\./||; s|^lib/([^/]*-linux-[^/]*/)?|lib/|; s|(\.so\.[0-9]+)\..*|\1|' |
    LC_ALL=C sort -u)
  rm -r "$prefix"
  diff <(printf '%s\n' "${@:2}" | LC_ALL=C sort) - <<<"$found" ||
    { echo "The component $1 is not what was expected"; exit 1; }
}

# ---- Cases -------------------------------------------------------------------

MakeBuildsProgramsInC() {
  install
  find_everything
  make_programs c shared static
  expect_guarded "$work/make"
}

MakeBuildsProgramsInCpp() {
  install
  find_everything
  make_programs cpp
  expect_guarded "$work/make"
}

CMakeBuildsProgramsInC() {
  install
  find_everything
  cmake_programs c -DTREE="$tree"
  expect_guarded "$work/cmake"
}

CMakeBuildsProgramsInCppWithoutTheMetricsLibrary() {
  install runtime dev
  find_everything
  cmake_programs cpp
  expect_guarded "$work/cmake"
}

TheCommandGuardsAProgramAsItIs() {
  install
  find_everything
  make_programs c plain
  retry-guard init --service=shop.Ledger >"$work/shop.json"
  retry-guard run --strict --config "$work/shop.json" -- "$work/make/plain"
}

TheCommandFindsItsScenarios() {
  install tools
  find_everything
  retry-guard simulate --list | grep ledger-pause
}

# shellcheck disable=SC2046 # one word a file
EachComponentHoldsItsOwn() {
  expect_files runtime lib/libretry_guard.so.0
  expect_files metrics lib/libretry_guard_metrics.so.0
  expect_files tools bin/retry-guard lib/libretry_guard_preload.so \
    share/bash-completion/completions/retry-guard \
    share/man/man1/retry-guard.1 \
    share/retry-guard/{alerts.yml,dashboard.json,{policy,scenario}.proto} \
    $(cd "$tree/plugin/sim" && printf 'share/retry-guard/%s\n' scenarios/*)
}

rm -rf "$work"
mkdir -p "$work"
prefix=$work/prefix
# Nothing may stand between a program and its own server.
unset http_proxy https_proxy grpc_proxy
"$1"
