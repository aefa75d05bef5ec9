#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Prints the program of the README $1, with a guarded call where it leaves what
# is done with gRPC to its reader.
set -euo pipefail

gap='/\* \.\.\. channels and servers as always \.\.\. \*/'
program=$(sed -n '/^```c$/,/^```$/{ /^```/d; p }' "$1")
grep -q "$gap" <<<"$program" || {
  echo "The program of $1 has no place for a guarded call" >&2
  exit 1
}
echo '#include "guarded_call.h"'
sed "s|$gap|guarded_call();|" <<<"$program"
