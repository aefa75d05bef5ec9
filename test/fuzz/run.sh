#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the fuzzers of the build tree $1, each for $2 seconds (60), or only the
# one called $3. Fails when one has found something, and says where the input
# is. Inputs that lead to new code are kept in the build tree, for the next run.
set -euo pipefail
build=$(realpath "$1")
seconds=${2:-60}
only=${3:-}
here=$(dirname "$(realpath "$0")")

die() {
  printf '%s\n' "$*" >&2
  exit 1
}

[[ $seconds =~ ^[1-9][0-9]*$ ]] || die "'$seconds' is no number of seconds."

# "policy" and "policy_fuzzer" are the same.
fuzzers() {
  local source name
  for source in "$here"/*_fuzzer.c "$here"/*_fuzzer.cc; do
    name=$(basename "${source%.*}")
    [ -z "$only" ] || [ "${only%_fuzzer}_fuzzer" = "$name" ] || continue
    echo "$name"
  done
}

# One line on the run of the fuzzer $1, whose output is in the file $2.
report() {
  local tried input
  tried=$(sed -n 's/^stat::number_of_executed_units: *//p' "$2")
  input=$(sed -n 's/.*Test unit written to //p' "$2")
  if [ -n "$input" ]; then
    echo "$1: found something: $input"
    grep -m 3 -E 'must hold|runtime error|^==[0-9]+==ERROR|SUMMARY' "$2" || true
  elif [ -z "$tried" ]; then
    echo "$1: did not run to its end, see $2"
  else
    echo "$1: $tried inputs tried, nothing found"
  fi
}

fuzz() {
  local corpus=$build/corpus/$1 log=$build/$1.log status=0 arguments
  mkdir -p "$corpus" "$build/found"
  arguments=(-max_total_time="$seconds" -timeout=10 -print_final_stats=1
    -artifact_prefix="$build/found/$1-")
  [ ! -f "$here/$1.dict" ] || arguments+=(-dict="$here/$1.dict")
  # What is in the first folder grows.
  arguments+=("$corpus")
  [ ! -d "$here/corpus/$1" ] || arguments+=("$here/corpus/$1")
  "$build/test/fuzz/$1" "${arguments[@]}" >"$log" 2>&1 || status=$?
  report "$1" "$log"
  return $status
}

names=$(fuzzers)
[ -n "$names" ] || die "There is no fuzzer '$only' in $here."
found=0
for name in $names; do
  fuzz "$name" || found=1
done
exit $found
