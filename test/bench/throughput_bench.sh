#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Calls per second in a closed loop, plain and guarded in turns; see README.md.
# $1: the folder of the programs.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=test/bench/lib.sh
. "$here/lib.sh"

turns=${TURNS:-21}
calls=${CALLS:-4000}

# Reads numbers, one a line; prints the one at $1 percent of their order.
percentile() { sort -n | awk -v p="$1" '{ a[NR] = $1 } END {
  i = int(1 + p / 100 * (NR - 1) + 0.5); print a[i] }'; }

# Calls per second of one turn of the client whose ends are $1 and $2.
turn() {
  local line
  echo "run $calls $in_flight" >&"$1"
  read -r line <&"$2"
  [ "$(field failed "$line")" = 0 ] || return 1
  echo $((calls * 1000000000 / $(field ns "$line")))
}

start_server "" --guard
coproc GUARDED {
  "$programs/rg_bench_client" --guard --config "$defaults" "$address"
}
exec 6>&"${GUARDED[1]}" 7<&"${GUARDED[0]}"
guarded_server=$server_pid
exec 9>&8
start_server ""
coproc PLAIN { "$programs/rg_bench_client" --config "$retries" "$address"; } \
  2>/dev/null
exec 4>&"${PLAIN[1]}" 5<&"${PLAIN[0]}"
trap 'kill "$guarded_server"; kill_server; rm -rf "$scratch"' EXIT

for in_flight in 1 8 64; do
  turn 4 5 >"$scratch/warm"
  turn 6 7 >"$scratch/warm"
  rm -f "$scratch/plain" "$scratch/guarded" "$scratch/ratio"
  for ((i = 0; i < turns; i++)); do
    # Each goes first as often as second.
    if ((i % 2)); then g=$(turn 6 7) p=$(turn 4 5); else p=$(turn 4 5) g=$(turn 6 7); fi
    echo "$p" >>"$scratch/plain"
    echo "$g" >>"$scratch/guarded"
    awk "BEGIN { printf \"%.4f\n\", $g / $p }" >>"$scratch/ratio"
  done
  p=$(percentile 50 <"$scratch/plain") g=$(percentile 50 <"$scratch/guarded")
  awk "BEGIN { printf \"throughput $in_flight at a time: plain $p, guarded $g \
calls/s, ratio %.3f\", $g / $p }"
  echo " (of turns: median $(percentile 50 <"$scratch/ratio"), half of them" \
    "$(percentile 25 <"$scratch/ratio") to $(percentile 75 <"$scratch/ratio"))"
done
