#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Instructions per call that gRPC takes, and that the guard takes on top, at the
# client and at the server, counted by callgrind; see README.md. $1: the folder
# of the programs. With TIMES=1 each is measured once instead of four times.
set -euo pipefail
shopt -s inherit_errexit
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=test/bench/lib.sh
. "$here/lib.sh"

short=300
long=1300
times=${TIMES:-4}

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
  counted_calm
}

# The fewest of several runs: what is left of threads that wait for each other
# only adds.
fewest() {
  local i
  for ((i = 0; i < times; i++)); do instructions "$@"; done | sort -n | head -n 1
}

# Instructions per call, start and end left out.
per_call() {
  local few many
  few=$(fewest "$1" "$short" "${@:2}")
  many=$(fewest "$1" "$long" "${@:2}")
  echo $(((many - few) / (long - short)))
}

declare -A plain control
failed=0

# One line of the report: $1 the case, $2 the side, $3 how many, $4 of how many.
tell() {
  local percent
  percent=$(awk "BEGIN { printf \"%.1f\", 100 * $3 / $4 }")
  echo "overhead $1, $2: $3 instructions per call ($percent % of plain)"
}

# A second line: whether $1 are no more than the aim $2, nothing for none. $3
# says what they are.
hold() {
  [ -n "$2" ] || return 0
  if [ "$1" -le "$2" ]; then
    echo "  $3: $1, aim $2, holds"
  else
    echo "  $3: $1, aim $2, MISSED by $(($1 - $2))"
  fi
}

# Measures plain gRPC: $1 the case, $2 and $3 the arguments.
measure_plain() {
  local side found
  for side in client server; do
    found=$(per_call $side "$2" "$3")
    plain[$side]=$found
    tell "$1" $side "${plain[$side]}" "${plain[$side]}"
  done
}

# What something adds to plain gRPC, into `client`, `server` and `together`:
# $1 the case, $2 and $3 the arguments.
add() {
  client=$(($(per_call client "$2" "$3") - plain[client]))
  server=$(($(per_call server "$2" "$3") - plain[server]))
  together=$((client + server))
  plain[together]=$((plain[client] + plain[server]))
}

# Measures what gRPC takes for the guard's part in the next case; see control.h.
measure_control() {
  local side client server together
  add "$@"
  for side in client server together; do
    control[$side]=${!side}
    tell "$1" $side "${!side}" "${plain[$side]}"
  done
}

# Measures what the guard adds: $1 to $3 as above; for the client, the server and
# both together the aim, $4 to $6, and the most that the guard's own part may be
# without this benchmark failing, $7 to $9. Nothing: none.
measure() {
  local side client server together own aims=("${@:4:3}") limits=("${@:7:3}")
  add "$@"
  for side in client server together; do
    tell "$1" $side "${!side}" "${plain[$side]}"
    own=$((${!side} - control[$side]))
    hold "${!side}" "${aims[0]:-}" "in all"
    hold "$own" "${aims[0]:-}" "without what gRPC takes"
    if [ -n "${limits[0]:-}" ] && [ "$own" -gt "${limits[0]}" ]; then
      echo "  that is more than it was: at most ${limits[0]} of its own"
      failed=1
    fi
    aims=("${aims[@]:1}") limits=("${limits[@]:1}")
  done
}

measure_plain "plain" "" ""
measure_control "filters without the guard" "--control\nfilters" \
  "--control\nfilters"
measure "loaded without a policy" "--guard" "--guard" 150 150 '' 150 270

measure_plain "plain with retryPolicy" "--config\n$retries" ""
control=([client]=0 [server]=0 [together]=0)
measure "a metadata entry of plain gRPC" "--entry\n--config\n$retries" ""
measure_control "filters and a mark without the guard" \
  "--control\nmarks\n--config\n$retries" "--control\nmarks"
measure "all defaults" "--guard\n--config\n$defaults" "--guard" 1000 500 1500 \
  1350 500 1750
measure_control "filters, entries and a timer without the guard" \
  "--control\neverything\n--config\n$retries" "--control\neverything"
measure "everything on, with a hop context" \
  "--guard\n--hop\n--config\n$everything" \
  "--guard\n--config\n$everything" '' '' 3000 '' '' 3000

measure_plain "plain with a retry" "--config\n$retries" "--fail"
control=([client]=0 [server]=0 [together]=0)
measure "a retry" "--guard\n--config\n$retrying" "--guard\n--fail"
exit $failed
