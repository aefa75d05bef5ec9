#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The library $1 exports what the other arguments, its headers, declare, and
# nothing else.
set -euo pipefail

exported=$(nm -D --defined-only "$1" | sed 's/.* //' | sort)
# The types of functions are not exported.
declared=$(grep -hv '^typedef ' "${@:2}" |
  grep -oE '\bretry_guard_[a-z_]+\(' | tr -d '(' | sort -u)

diff --label exported --label declared -U 0 \
  <(printf '%s\n' "$exported") <(printf '%s\n' "$declared")
