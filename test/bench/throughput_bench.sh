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

rounds=${ROUNDS:-5}
turns=${TURNS:-9}
calls=${CALLS:-4000}

declare -A to from
pids=()
kill_pairs() {
  [ ${#pids[@]} = 0 ] || kill "${pids[@]}"
  wait
  pids=()
}
trap 'kill_pairs 2>/dev/null; rm -rf "$scratch"' EXIT

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

# What the rate of $1 is of that of $2, turn by turn: the middle one, and between
# which half of them lie.
compare() {
  paste "$scratch/$1.$in_flight" "$scratch/$2.$in_flight" |
    awk '{ printf "%.3f\n", $1 / $2 }' >"$scratch/ratios"
  echo "$(percentile 50 <"$scratch/ratios")" \
    "($(percentile 25 <"$scratch/ratios") to" \
    "$(percentile 75 <"$scratch/ratios"))"
}

pairs=(plain control guarded)

# New processes: where they happen to lie in memory, and on which core, matters
# more than what is looked for.
start_pairs() {
  rm -f "$scratch"/*.to "$scratch"/*.from
  start_pair plain "" "--config\n$retries"
  start_pair control "--control\nmarks" "--control\nmarks\n--config\n$retries"
  start_pair guarded "--guard" "--guard\n--config\n$defaults"
}

# One round of turns with `in_flight` calls at a time; each goes first as often
# as the others.
take_turns() {
  local i pair
  for pair in "${pairs[@]}"; do turn "$pair" >"$scratch/warm"; done
  for ((i = 0; i < turns; i++)); do
    for pair in "${pairs[@]}"; do
      turn "$pair" >>"$scratch/$pair.$in_flight"
    done
    pairs=("${pairs[@]:1}" "${pairs[0]}")
  done
}

for ((round = 0; round < rounds; round++)); do
  start_pairs
  for in_flight in 1 8 64; do take_turns; done
  kill_pairs 2>/dev/null
done
for in_flight in 1 8 64; do
  echo "throughput $in_flight at a time: plain" \
    "$(percentile 50 <"$scratch/plain.$in_flight") calls/s; guarded" \
    "$(compare guarded plain) of it, gRPC's part alone" \
    "$(compare control plain); guarded of that $(compare guarded control)"
done
