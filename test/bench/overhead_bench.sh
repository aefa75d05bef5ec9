#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Instructions per call that gRPC takes, and that the guard takes on top, at the
# client and at the server, counted by callgrind; see README.md. $1: the folder
# of the programs. With TIMES=1 each is measured once instead of three times.
set -euo pipefail
shopt -s inherit_errexit
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=test/bench/lib.sh
. "$here/lib.sh"

short=300
long=1300
times=${TIMES:-3}
# Instructions of the process $1 (client, server) for $2 calls; the case:
#   $3, $4  arguments of the client and of the server, one a line
instructions() {
  local of_client='' of_server='' client server out
  [ "$1" = client ] && of_client=$counting || of_server=$counting
  mapfile -t client < <(printf '%b' "$3")
  mapfile -t server < <(printf '%b' "$4")
  start_server "$of_server" "${server[@]}"
  # shellcheck disable=SC2086 # words
  out=$($of_client "$programs/rg_bench_client" "${client[@]}" "$address" \
    <<<"run $2 1" 2>"$scratch/client.log")
  stop_server
  [ "$(field ok "$out")" = "$2" ] || {
    echo "only these calls of $2 went well: $out" >&2
    return 1
  }
  counted "$scratch/$1.log"
}

# Instructions per call, start and end left out; the median, since now
# and then a thread waits for another one.
per_call() {
  local i few many
  for ((i = 0; i < times; i++)); do
    few=$(instructions "$1" "$short" "${@:2}")
    many=$(instructions "$1" "$long" "${@:2}")
    echo $(((many - few) / (long - short)))
  done | sort -n | sed -n "$((times / 2 + 1))p"
}

declare -A plain
missed=0

# One line of the report: $1 the case, $2 the side, $3 how many, $4 of how many,
# $5 the most it may be, or nothing.
tell() {
  local percent
  percent=$(awk "BEGIN { printf \"%.1f\", 100 * $3 / $4 }")
  echo "overhead $1, $2: $3 instructions per call ($percent % of plain)"
  [ -z "$5" ] || [ "$3" -le "$5" ] || {
    echo "  more than the $5 that it may be"
    missed=1
  }
}

# Measures plain gRPC: $1 the case, $2 and $3 the arguments.
measure_plain() {
  local side found
  for side in client server; do
    found=$(per_call $side "$2" "$3")
    plain[$side]=$found
    tell "$1" $side "${plain[$side]}" "${plain[$side]}" ''
  done
}

# Measures what the guard adds to it: $1 the case, $2 and $3 the arguments, $4
# and $5 what they may be at the client and the server, $6 both together.
measure() {
  local client server
  client=$(per_call client "$2" "$3")
  server=$(per_call server "$2" "$3")
  client=$((client - plain[client]))
  server=$((server - plain[server]))
  tell "$1" client "$client" "${plain[client]}" "${4:-}"
  tell "$1" server "$server" "${plain[server]}" "${5:-}"
  tell "$1" together $((client + server)) $((plain[client] + plain[server])) \
    "${6:-}"
}

measure_plain "plain" "" ""
measure "loaded without a policy" "--guard" "--guard" 150 150
measure_plain "plain with retryPolicy" "--config\n$retries" ""
measure "a metadata entry of plain gRPC" "--entry\n--config\n$retries" ""
measure "all defaults" "--guard\n--config\n$defaults" "--guard" 1000 500 1500
measure "everything on, with a hop context" \
  "--guard\n--hop\n--config\n$everything" \
  "--guard\n--config\n$everything" '' '' 3000
measure_plain "plain with a retry" "--config\n$retries" "--fail"
measure "a retry" "--guard\n--config\n$retrying" "--guard\n--fail"
exit $missed
