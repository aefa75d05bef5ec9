#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What a call costs that does not get anywhere: rejected by an open breaker, made
# on a lame channel of gRPC's, and made by plain gRPC to a port that refuses
# connections; see README.md. $1: the folder of the programs.
set -euo pipefail
shopt -s inherit_errexit
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=test/bench/lib.sh
. "$here/lib.sh"

refused=ipv4:127.0.0.1:1
open='{"retryGuard": {"circuitBreaker": {"cooldown": "600s"}}, '"$retry}"

# Runs the client with the arguments after $1, the words before it, and lets it
# make 100 calls, which open the breaker, and then $calls more.
run() {
  # shellcheck disable=SC2086 # words
  printf 'run 100 1\nrun %d 1\n' "$calls" |
    $1 "$programs/rg_bench_client" "${@:2}" 2>"$scratch/log" | tail -n 1
}

# Instructions per call.
instructions() {
  local few many
  calls=300
  run "$counting" "$@" >"$scratch/out"
  few=$(counted "$scratch/log")
  calls=1300
  run "$counting" "$@" >"$scratch/out"
  many=$(counted "$scratch/log")
  echo $(((many - few) / 1000))
}

declare -A cost
# One line: $1 the case, the rest the client's arguments.
measure() {
  local line ns
  cost[$1]=$(instructions "${@:2}")
  calls=$often
  line=$(run "" "${@:2}")
  ns=$(($(field ns "$line") / calls))
  echo "reject $1: ${cost[$1]} instructions, $ns ns per call," \
    "$((1000000000 / ns)) calls/s"
}

often=20000
measure "lame channel" lame
measure "open breaker" --guard --config "$open" $refused
often=200
measure "plain, refused port" $refused
measure "plain with retryPolicy, refused port" --config "$retries" $refused

times() { awk "BEGIN { printf \"%.2f\", $1 / $2 }"; }
rejected=${cost[open breaker]}
lame=${cost[lame channel]}
plain=${cost[plain with retryPolicy, refused port]}
echo "reject: an open breaker is $(times "$rejected" "$lame") times a lame" \
  "channel; plain gRPC with retryPolicy is $(times "$plain" "$rejected") times" \
  "an open breaker"
[ $((rejected * 10)) -le $((lame * 12)) ] && [ "$plain" -ge $((rejected * 8)) ]
