#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs the Debian packages in the folder $1, as a user would, uses all of
# them, and purges them: nothing stays behind. For a machine that may be thrown
# away, such as a tree of debian_tree.sh.
set -euo pipefail

packages=$1
tree=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d)
ours=(retry-guard-tools libretry-guard{-dev,-metrics0,0})

say() { printf '%s s: %s\n' "$SECONDS" "$*"; }

apt() {
  DEBIAN_FRONTEND=noninteractive apt-get -qy "$@" >"$work/apt.log" 2>&1 || {
    tail -n 20 "$work/apt.log"
    exit 1
  }
}

# Checking service configs takes no gRPC.
use_the_command_alone() {
  apt install --no-install-recommends "$packages"/retry-guard-tools_*.deb
  if dpkg-query -W 'libgrpc*' 2>/dev/null; then exit 1; fi
  retry-guard init --service=shop.Ledger >"$work/shop.json"
  retry-guard check "$work/shop.json"
  retry-guard simulate --list
}

exact_grpc() {
  local owner
  owner=$(dpkg-query -S '*/libgrpc.so.*' | sed 's/: .*//; q')
  dpkg-query -W -f '${Package} (= ${Version})' "$owner"
}

# The cases of install_test.sh, with what is in the system.
use_all() {
  local case
  apt install --no-install-recommends "$packages"/*.deb
  say "the packages are installed"
  dpkg-query -W -f '${Depends}\n' libretry-guard0 | grep -F "$(exact_grpc)"
  apt install --no-install-recommends \
    g++ make cmake pkgconf libgrpc++-dev libmicrohttpd-dev
  say "what builds programs is installed"
  for case in MakeBuildsProgramsIn{C,Cpp} CMakeBuildsProgramsInC \
    CMakeBuildsProgramsInCppWithoutTheMetricsLibrary \
    TheCommandGuardsAProgramAsItIs; do
    "$tree/test/install/install_test.sh" "$case" "$tree" '' "$work/$case"
    say "$case passed"
  done
}

expect_nothing_left() {
  local left
  left=$(find / \( -path /proc -o -path /sys -o -path /root -o -path "$work" \) \
    -prune -o -iname '*retry*guard*' -print)
  [ -z "$left" ] || {
    echo "This was left behind: $left"
    exit 1
  }
}

apt update
use_the_command_alone
say "the command works by itself"
use_all
apt purge "${ours[@]}"
expect_nothing_left
rm -r "$work"
say "the packages are purged"
