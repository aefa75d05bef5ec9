#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Memory that the guard takes for a call, for a target and in the long run; see
# README.md. $1: the folder of the programs.
set -euo pipefail
shopt -s inherit_errexit
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=test/bench/lib.sh
. "$here/lib.sh"

calls=${CALLS:-1000000}
retries_made=${RETRIES:-100000}
channels=10000
missed=0

# Fails the benchmark unless the expression $1 holds; $2 says of what.
must() { awk "BEGIN { exit !($1) }" || {
  echo "  that is more than it may be: $2"
  missed=1
}; }

# The client with the arguments, its heap counted; its input is standard input.
client() {
  LD_PRELOAD=$programs/librg_bench_heap.so "$programs/rg_bench_client" "$@"
}

# Per call, allocations and bytes of the client with the arguments.
per_call() {
  printf 'run 1000 1\nrun 10000 1\n' | client "$@" | tail -n 1 | awk '
    { for (i = 1; i < NF; i++) v[$i] = $(i + 1)
      printf "%.2f %.0f\n", v["allocations"] / 10000, v["bytes"] / 10000 }'
}

"$programs/rg_memory_sizes" || missed=1

start_server "" --guard
read -r plain plain_bytes < <(per_call --config "$retries" "$address")
read -r guarded guarded_bytes < <(per_call --guard --config "$defaults" \
  "$address")
echo "memory plain: $plain allocations, $plain_bytes bytes of heap per call"
echo "memory all defaults: $guarded allocations, $guarded_bytes bytes of heap" \
  "per call"
must "$guarded - $plain < 0.01" "allocations per call"

# Ten parts, so that growth shows and warming up does not.
flat() {
  local part=$2 line first last
  for ((i = 0; i < 10; i++)); do echo "run $((part / 10)) 64"; done |
    client "${@:4}" "$address" >"$scratch/parts"
  line=$(sed -n 2p "$scratch/parts")
  first=$(field rss_kib "$line")
  line=$(tail -n 1 "$scratch/parts")
  last=$(field rss_kib "$line")
  echo "memory $1: RSS $first KiB after a fifth of them, $last KiB after all"
  must "$last - $first < $3" "growth in KiB"
}
flat "$calls calls" "$calls" 1024 --guard --config "$defaults"
stop_server
start_server "" --guard --fail
flat "$retries_made retries" "$retries_made" 1024 --guard --config "$retrying"
stop_server

line=$(printf 'channels 1000\nchannels %d\n' $channels |
  client --guard --config "$defaults" ipv4:127.0.0.1:1 | tee "$scratch/parts" |
  tail -n 1)
first=$(field rss_kib "$(head -n 1 "$scratch/parts")")
last=$(field rss_kib "$line")
echo "memory $channels targets made and dropped: RSS from $first to $last KiB"
must "$last - $first < 2048" "growth in KiB"
exit $missed
