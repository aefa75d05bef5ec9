#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# plugin/grpc/fetch_headers.sh against a scripted dpkg and apt, without network.
# Usage: fetch_headers_test.sh CASE SCRIPT WORK
set -euo pipefail

script=$2
work=$3

fail() {
  printf '%s\n' "$*"
  exit 1
}

# ---- The scripted machine ----------------------------------------------------

# Makes the command $1 of the text on standard input.
fake() {
  { echo '#!/bin/bash' && cat; } >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}

# A machine with libgrpc-dev 7.8.9-3+b1 from an archive that is configured in
# mirror.sources; extra.list configures another one.
fake_machine() {
  printf '%s\n' 'Types: deb' 'URIs: mirror:/pool' 'Suites: stable' \
    'Components: main' 'Signed-By: /keys/pool.gpg' >"$work/mirror.sources"
  echo 'deb [trusted=yes] mirror:/extra stable main' >"$work/extra.list"
  fake dpkg-query <<<"echo 7.8.9-3+b1 grpc 1:7.8.9-3"
  fake apt-config <<<"echo 'Acquire::http::Proxy \"proxy:/here\";'"
  fake apt-cache <<<"echo '$1'"
  fake apt-get <<END
echo "\$*" >>"$work/calls"
case "\$*" in
  indextargets*) cat "$work/targets" ;;
  *update) cp -r "\${APT_CONFIG%/*}" "$work/seen" ;;
  *source*) tar -czf grpc_7.8.9.orig.tar.gz -C "$work" tree ;;
esac
END
  printf '%s\n' "mirror:/pool stable/main|$work/mirror.sources:1" \
    "mirror:/extra stable/main|$work/extra.list:1" >"$work/targets"
  mkdir "$work/tree"
  printf '%s\n' 'settings:' '  version: 7.8.9' \
    >"$work/tree/build_handwritten.yaml"
}

madison='libgrpc-dev | 7.8.9-3+b1 | mirror:/pool stable/main amd64 Packages'
other_madison='libgrpc-dev | 7.8.9-3+b1 | mirror:/extra stable/main amd64 Packages'
tree=$work/cache/retry-guard/grpc-7.8.9

run() { PATH=$work/bin:$PATH XDG_CACHE_HOME=$work/cache "$script"; }

expect_tree() {
  local printed
  printed=$(run)
  [ "$printed" = "$tree" ] || fail "It printed '$printed'"
  [ -f "$tree/build_handwritten.yaml" ] || fail "There is no tree"
}

# The cache holds nothing but what $1 says.
expect_cache() {
  local found
  found=$(ls "$work/cache/retry-guard")
  [ "$found" = "$1" ] || fail "The cache holds '$found'"
}

expect_refusal() {
  local said
  ! said=$(run 2>&1) || fail "It did not fail"
  [[ $said == *"$1"* ]] || fail "Missing '$1' in: $said"
}

# ---- Cases -------------------------------------------------------------------

UnpacksTheInstalledVersion() {
  fake_machine "$madison"
  expect_tree
  expect_cache grpc-7.8.9
  grep -q 'source --download-only --only-source grpc=1:7.8.9-3$' \
    "$work/calls" || fail "Asked for: $(cat "$work/calls")"
}

WorksOfflineOnceFetched() {
  fake_machine "$madison"
  expect_tree
  fake apt-get <<<'exit 100'
  expect_tree
}

AsksTheArchiveThatThePackageCameFrom() {
  fake_machine "$madison"
  expect_tree
  [ "$(ls "$work/seen/sources")" = mirror.sources ] ||
    fail "Asked: $(ls "$work/seen/sources")"
  sed 's/^Types: deb$/Types: deb-src/' "$work/mirror.sources" |
    diff - "$work/seen/sources/mirror.sources"
}

ReadsOneLineSources() {
  fake_machine "$other_madison"
  expect_tree
  echo 'deb-src [trusted=yes] mirror:/extra stable main' |
    diff - "$work/seen/sources/extra.list"
}

KeepsTheWayToTheNetwork() {
  fake_machine "$madison"
  expect_tree
  grep -q '^Acquire::http::Proxy "proxy:/here";' "$work/seen/apt.conf" ||
    fail "The proxy is lost"
}

LeavesNothingBehindWhenAptFails() {
  fake_machine "$madison"
  fake apt-get <<<"echo 'E: no such source' && exit 100"
  expect_refusal 'E: no such source'
  expect_refusal 'The sources of grpc 1:7.8.9-3 could not be fetched'
  expect_cache ''
}

RefusesAnotherVersionThanItAskedFor() {
  fake_machine "$madison"
  echo '  version: 7.8.8' >"$work/tree/build_handwritten.yaml"
  expect_refusal "holds version '7.8.8'"
  expect_cache ''
}

SaysThatThePackageIsMissing() {
  fake_machine "$madison"
  fake dpkg-query <<<'exit 1'
  expect_refusal 'libgrpc-dev is not installed: install it'
}

rm -rf "$work"
mkdir -p "$work/bin"
"$1"
