#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Checks the core's lock-free parts in all interleavings of small cases, and
# that the check finds the faults of seeds.txt. Builds in the folder $1; with
# --short after it only what takes no more than seconds, and no seeds.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
core=$here/../../plugin/core
mkdir -p "$1"
cd "$1"

parts=(num window token_bucket retry_window budget breaker)

compile() {
  gcc -std=c11 -D_GNU_SOURCE -O2 -g -Wall -I "$here/atomics" \
    -iquote "$here" -iquote "$core/.." "$@"
}

# The search, and the real core with <stdatomic.h> replaced.
build() {
  local source
  for source in "$here"/*.c "${parts[@]/#/$core/}"; do
    source=${source%.c}
    compile -c "$source.c" -o "${source##*/}.o"
  done
  compile ./*.o -o rg_verify
}

# Makes rg_seeded of the source $1 of the core as sed's script $2 changes it.
seed() {
  local objects=() part
  sed "$2" "$core/$1.c" >seeded.c
  ! cmp -s seeded.c "$core/$1.c" || {
    echo "the seed changes nothing in $1.c any more: $2"
    return 1
  }
  for part in ./*.o; do
    [ "$part" = "./$1.o" ] || objects+=("$part")
  done
  compile -w seeded.c "${objects[@]}" -o rg_seeded
}

missed=0

# Expects the property $1 to break.
expect_found() {
  local output
  output=$("${@:2}" "$1") && {
    echo "$1: THE SEEDED FAULT WAS NOT FOUND"
    missed=$((missed + 1))
    return 0
  }
  [[ $output == "$1: BROKEN, "* ]] || {
    echo "$1: with the seeded fault: $output"
    missed=$((missed + 1))
    return 0
  }
  echo "$1: finds the seeded fault, ${output##*BROKEN, }"
}

run_seeds() {
  local property source script
  while IFS='|' read -r property source script; do
    case $property in '' | '#'*) continue ;; esac
    if [ -z "$source" ]; then
      expect_found "$property" ./rg_verify --torn
    elif seed "$source" "$script"; then
      expect_found "$property" ./rg_seeded
    else
      missed=$((missed + 1))
    fi
  done <"$here/seeds.txt"
}

# Each property needs a seed.
unseeded() {
  comm -23 <(./rg_verify --list | sort) <(cut -d'|' -f1 "$here/seeds.txt" | sort)
}

rm -f ./*.o
build
if [ "${2:-}" = --short ]; then
  exec ./rg_verify --short
fi
[ -z "$(unseeded)" ] || {
  echo "without a seed: $(unseeded)"
  exit 1
}
status=0
./rg_verify || status=1
run_seeds
[ "$missed" = 0 ] || status=1
exit $status
