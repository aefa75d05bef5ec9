#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Every public header below the folder $1 compiles alone, in each language and
# standard that a program may use, by each compiler that is here.
set -euo pipefail
cd "$1"

status=0

# $1 compiler, $2 language, $3 standard, $4 header
compile() {
  echo "#include <$4>" |
    "$1" -x "$2" -std="$3" -Wall -Wextra -Wpedantic -Werror \
      -I . -fsyntax-only - || {
    echo "$4 does not compile alone by $1 as $3"
    status=1
  }
}

# $1 compiler, $2 language, $3 standards, then headers
compile_all() {
  local compiler=$1 language=$2 standards=$3 standard header
  shift 3
  command -v "$compiler" >/dev/null || return 0
  for standard in $standards; do
    for header; do compile "$compiler" "$language" "$standard" "$header"; done
  done
}

for compiler in gcc clang; do
  compile_all $compiler c 'c11 c17' retry_guard/*.h
done
for compiler in g++ clang++; do
  compile_all $compiler c++ 'c++17 c++20' retry_guard/*.{h,hpp}
done
exit $status
