#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Every file below the folder $1 states its licence in its first two lines, but
# for documents, pictures, what has no comments, and inputs of fuzzers.
set -euo pipefail
cd "$1"

status=0
while read -r file; do
  [[ $(head -n 2 "$file") == *'SPDX-License-Identifier: Apache-2.0'* ]] || {
    echo "$file has no SPDX line"
    status=1
  }
done < <(find . \
  \( -name .git -o -name .cache -o -path ./build -o -name 'bazel-*' \
  -o -path ./test/fuzz/corpus \) -prune \
  -o -type f ! -name LICENSE ! -name '*.md' ! -name '*.json' ! -name '*.svg' -print)
exit $status
