#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The arrow law: grpc, metrics, sim, cli -> host -> config -> core, never back,
# and cli -> sim; preload -> nothing but the public headers, since its library holds nothing of
# the others; the core is pure, and only plugin/grpc knows gRPC. Checked from the
# #include lines of plugin/ and include/ below the folder $1.
set -euo pipefail
cd "$1"

# The standard headers that neither allocate nor touch the world.
pure='(limits|stdatomic|stdbool|stddef|stdint|string)\.h'

level_of() {
  case $1 in
    core) echo 0 ;;
    config) echo 1 ;;
    host) echo 2 ;;
    grpc | metrics | sim | cli) echo 3 ;;
    preload) echo 4 ;;
    *) echo none ;;
  esac
}

# Prints file:line:name for every include of the sources below the folders; the
# name keeps its opening quote or bracket.
includes() {
  grep -rnoE --include='*.h' --include='*.c' --include='*.cc' \
    '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"][^>"]*' "$@" |
    sed -E 's/:[[:space:]]*#[^<"]*/:/'
}

# Whether a file of the room $1 may include the name $2: of our rooms its own
# and those on lower levels; whatever belongs to no room is not ours.
may_include() {
  local from to
  case $2 in '"'*/*) ;; *) return 0 ;; esac
  to=${2#\"}
  to=${to%%/*}
  from=$(level_of "$1")
  [ "$to" = "$1" ] && return 0
  [ "$1 $to" = 'cli sim' ] && return 0
  to=$(level_of "$to")
  [ "$1" = preload ] && [ "$to" != none ] && return 1
  [ "$to" = none ] || [ "$to" -lt "$from" ]
}

check_arrows() {
  local file line name room
  includes plugin | while IFS=: read -r file line name; do
    room=${file#plugin/}
    room=${room%%/*}
    may_include "$room" "$name" ||
      echo "$file:$line: $room must not include $name"
  done
}

# The core may include itself and what is pure; <atomic> is for C++ readers.
check_core() {
  includes plugin/core | grep -vE ":(\"core/|<$pure|<atomic)" |
    sed 's/$/ is not for the core/' || true
}

check_grpc() {
  includes include plugin |
    grep -v '^plugin/grpc/' | grep -E ':(<grpc|"src/core/|["<]absl/)' |
    sed 's/$/ is for plugin\/grpc only/' || true
}

check_public() {
  includes include | grep -vE ":(<$pure|[\"<]retry_guard/)" |
    sed 's/$/ is not for a public header/' || true
}

faults=$(check_arrows && check_core && check_grpc && check_public)
[ -z "$faults" ] || {
  printf '%s\n' "$faults"
  exit 1
}
