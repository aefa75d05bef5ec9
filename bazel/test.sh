#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds everything with Bazel and runs its tests, optimised as in CMake's preset
# dev. What Bazel writes goes to the folder $1, and it leaves no server behind. 77
# says that there is no Bazel.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
command -v bazel >/dev/null || {
  echo "Bazel is not installed."
  exit 77
}
exec bazel --batch --output_user_root="$1" \
  test --conlyopt=-O1 --symlink_prefix=/ //...
