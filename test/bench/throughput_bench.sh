#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Calls per second in a closed loop, of three pairs of processes in turns: plain
# gRPC, what gRPC takes for the guard's part (control.h), and guarded; see
# README.md. $1: the folder of the programs.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=test/bench/lib.sh
. "$here/lib.sh"

turns=${TURNS:-21}
calls=${CALLS:-4000}

declare -A to from
pids=()
trap 'kill "${pids[@]}"; rm -rf "$scratch"' EXIT

# Starts a pair that is called $1: the server's arguments, one a line, and the
# client's.
start_pair() {
  local server client fd
  mapfile -t server < <(printf %b "$2")
  mapfile -t client < <(printf %b "$3")
  start_server "" "${server[@]}"
  pids+=("$server_pid")
  exec {fd}>&8 # which keeps it up
  mkfifo "$scratch/$1.to" "$scratch/$1.from"
  "$programs/rg_bench_client" "${client[@]}" "$address" \
    <"$scratch/$1.to" >"$scratch/$1.from" &
  pids+=($!)
  exec {fd}>"$scratch/$1.to"
  to[$1]=$fd
  exec {fd}<"$scratch/$1.from"
  from[$1]=$fd
}

# Calls per second of one turn of the pair $1.
turn() {
  local line
  echo "run $((in_flight > 1 ? calls * 4 : calls)) $in_flight" >&"${to[$1]}"
  read -r line <&"${from[$1]}"
  [ "$(field failed "$line")" = 0 ] || return 1
  echo $(($(field ok "$line") * 1000000000 / $(field ns "$line")))
}

# Reads numbers, one a line; prints the one at $1 percent of their order.
percentile() { sort -n | awk -v p="$1" '{ a[NR] = $1 } END {
  i = int(1 + p / 100 * (NR - 1) + 0.5); print a[i] }'; }

# The part of the rate of $2 that $1 has, in each turn: the middle of them, and
# between which half of them lie.
compare() {
  paste "$scratch/$1.rates" "$scratch/$2.rates" |
    awk '{ printf "%.3f\n", $1 / $2 }' >"$scratch/ratios"
  echo "$(percentile 50 <"$scratch/ratios")" \
    "($(percentile 25 <"$scratch/ratios") to" \
    "$(percentile 75 <"$scratch/ratios"))"
}

order=(plain control guarded)
start_pair plain "" "--config\n$retries"
start_pair control "--control\nmarks" "--control\nmarks\n--config\n$retries"
start_pair guarded "--guard" "--guard\n--config\n$defaults"
for in_flight in 1 8 64; do
  for pair in "${order[@]}"; do
    turn "$pair" >"$scratch/warm"
    : >"$scratch/$pair.rates"
  done
  for ((i = 0; i < turns; i++)); do
    for pair in "${order[@]}"; do turn "$pair" >>"$scratch/$pair.rates"; done
    order=("${order[@]:1}" "${order[0]}")
  done
  echo "throughput $in_flight at a time: plain" \
    "$(percentile 50 <"$scratch/plain.rates") calls/s; guarded" \
    "$(compare guarded plain) of it, gRPC's part alone" \
    "$(compare control plain); guarded of that: $(compare guarded control)"
done
