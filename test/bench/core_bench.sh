#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The operations of the core: instructions, then nanoseconds with 1, 2, 4 and 8
# threads and as a multiple of the bare addition; see README.md. $1: the folder
# of the programs.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
status=0
"$here/core_count.sh" "$1/rg_core_count" || status=$?

"$1/rg_core_bench" --benchmark_min_time=0.2 --benchmark_format=csv \
  2>/dev/null | awk -F'"|,' '
  /threads:/ {
    name = $2; sub(/\/.*/, "", name)
    threads = $2; sub(/.*threads:/, "", threads)
    ns[name, threads] = $5 / 64
    if (!(name in seen)) { seen[name] = 1; names[++n] = name }
  }
  END {
    for (i = 1; i <= n; i++) {
      line = "core " names[i] ":"
      for (t = 1; t <= 8; t *= 2)
        line = line sprintf(" %.1f ns with %d,", ns[names[i], t], t)
      printf "%s %.1f times the bare addition with 2\n", line, \
        ns[names[i], 2] / ns["bare_add", 2]
    }
  }'
exit $status
