#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Counts the instructions that each operation of the core takes, its loop
# included, by the program $1 under callgrind; fails when one takes more than it
# may. 77: no valgrind here. $2: percent that may be exceeded (0).
set -euo pipefail
command -v valgrind >/dev/null || exit 77

count=10000
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

valgrind --tool=callgrind --callgrind-out-file="$scratch/out" \
  "$1" $count >"$scratch/names" 2>"$scratch/log"
callgrind_annotate --inclusive=yes --threshold=100 "$scratch/out" |
  tr -d , >"$scratch/functions"

status=0
while read -r name limit; do
  all=$(sed -nE "s/^ *([0-9]+) .*:op_$name( .*)?$/\1/p" "$scratch/functions")
  each=$(((all + count / 2) / count))
  echo "core $name: $each instructions$([ "$limit" = 0 ] || echo ", at most $limit")"
  [ "$limit" = 0 ] || [ "$each" -le $((limit + limit * ${2:-0} / 100)) ] ||
    status=1
done <"$scratch/names"
exit $status
