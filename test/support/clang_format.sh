#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The sources below the folder $1 are as clang-format 14 writes them; other
# versions differ in taste. With --fix after the folder, makes them so.
set -euo pipefail
cd "$1"

for tool in clang-format-14 clang-format; do
  [[ $("$tool" --version 2>/dev/null) == *'version 14.'* ]] && break
  tool=
done
[ -n "$tool" ] || {
  echo "There is no clang-format 14 here."
  exit 77
}

mode=(--dry-run -Werror)
[ "${2:-}" != --fix ] || mode=(-i)
find include plugin test -name '*.[ch]' -o -name '*.cc' | sort |
  xargs "$tool" "${mode[@]}"
