#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# sources.cmake in the folder $1 lists the sources of its rooms: all of them,
# once, and nothing else.
set -euo pipefail
cd "$1"

# What is compiled while configuring only.
not_ours=grpc/link_check.cc

diff --label sources.cmake --label folders -U 0 \
  <(sed -n 's/^  \([^ ]*\.cc\{0,1\}\)$/\1/p' sources.cmake | sort) \
  <(find . -name '*.c' -o -name '*.cc' | sed 's|^\./||' |
    grep -vx "$not_ours" | sort)
