#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Configuring refuses what would make a plugin that corrupts memory, and says
# what was wrong and what to do. Usage: configure_test.sh CASE SOURCE GRPC WORK
#   CASE    a function of this file
#   SOURCE  the project
#   GRPC    a source tree of the right gRPC version
#   WORK    a scratch folder
set -euo pipefail

source_dir=$2
grpc_dir=$3
work=$4

# ---- Steps -------------------------------------------------------------------

# Configures into a fresh build tree; more arguments go to CMake. What it says
# ends up in `output`, on one line, since CMake breaks lines where it likes.
configure() {
  status=0
  output=$(cmake -S "$source_dir" -B "$work/build" -G Ninja \
    -DRETRY_GUARD_BUILD_TESTS=OFF "$@" 2>&1 | tr -s ' \n' ' ') || status=1
}

expect_success() {
  [ "$status" = 0 ] || {
    echo "Configuring failed: $output"
    exit 1
  }
}

# Configuring failed, with all these texts.
expect_refusal() {
  local text
  [ "$status" != 0 ] || {
    echo "Configuring did not fail"
    exit 1
  }
  for text; do
    [[ $output == *"$text"* ]] || {
      echo "Missing '$text' in: $output"
      exit 1
    }
  done
}

# Lets pkg-config find a grpc.pc of the version $1 with the linker flags $2
# before all others.
fake_pc() {
  printf '%s\n' 'Name: gRPC' 'Description: fake' "Version: $1" "Libs: $2" \
    >"$work/grpc.pc"
  export PKG_CONFIG_PATH=$work
}

# Makes a libgrpc of the version $1 whose internal function takes the
# parameters $2.
fake_library() {
  c++ -std=c++17 -shared -fPIC -o "$work/libgrpc.so" -x c++ - <<END
#include "absl/status/status.h"
struct grpc_stream_refcount;
void grpc_stream_ref_init($2) {}
extern "C" const char *grpc_version_string() { return "$1"; }
END
}

# Makes a source tree that states the versions of gRPC and of its core.
fake_tree() {
  mkdir -p "$work/tree"
  printf '%s\n' 'settings:' "  core_version: $2" "  version: $1" \
    >"$work/tree/build_handwritten.yaml"
}

callback='void (*)(void *, absl::Status), void *'
as_debian="grpc_stream_refcount *, int, $callback, const char *"
with_ndebug="grpc_stream_refcount *, int, $callback"

# ---- Cases -------------------------------------------------------------------

AcceptsTheSupportedVersion() {
  configure -DRETRY_GUARD_GRPC_SOURCE_DIR="$grpc_dir"
  expect_success
}

AcceptsALibraryElsewhere() {
  fake_library 29.0.0 "$as_debian"
  fake_pc 29.0.0 "-L$work -lgrpc -labsl_status"
  configure -DRETRY_GUARD_GRPC_SOURCE_DIR="$grpc_dir"
  expect_success
}

NamesAMissingLibrary() {
  local file
  for file in libprotobuf-c jansson libmicrohttpd; do
    printf '%s\n' "Name: $file" 'Description: fake' 'Version: 1' \
      >"$work/$file.pc"
  done
  export PKG_CONFIG_LIBDIR=$work PKG_CONFIG_PATH=
  configure
  expect_refusal 'gRPC was not found' 'Install libgrpc-dev'
}

NamesAnUnsupportedVersion() {
  fake_pc 30.2.0 -lgrpc
  configure
  expect_refusal 'gRPC core 30.2.0 is not supported' \
    'works with gRPC 1.51.1 (core 29.0.0) only' 'Install that version'
}

NamesALibraryBuiltWithNdebug() {
  fake_library 29.0.0 "$with_ndebug"
  fake_pc 29.0.0 "-L$work -lgrpc -labsl_status"
  configure -DRETRY_GUARD_GRPC_SOURCE_DIR="$grpc_dir"
  expect_refusal 'This libgrpc was built with NDEBUG' \
    'Use a libgrpc built without NDEBUG'
}

NamesALibraryThatDoesNotLink() {
  fake_library 29.0.0 'int'
  fake_pc 29.0.0 "-L$work -lgrpc -labsl_status"
  configure -DRETRY_GUARD_GRPC_SOURCE_DIR="$grpc_dir"
  expect_refusal 'libgrpc cannot be linked' 'Install libgrpc-dev and libabsl-dev'
}

NamesALibraryUnlikeItsDescription() {
  fake_library 28.1.0 "$as_debian"
  fake_pc 29.0.0 "-L$work -lgrpc -labsl_status"
  configure -DRETRY_GUARD_GRPC_SOURCE_DIR="$grpc_dir"
  expect_refusal 'grpc.pc and libgrpc do not belong together' \
    "grpc.pc says core 29.0.0, the library that the linker takes says '28.1.0'" \
    'Remove one of the two installations'
}

NamesHeadersOfAnotherVersion() {
  fake_tree 1.50.0 28.0.0
  configure -DRETRY_GUARD_GRPC_SOURCE_DIR="$work/tree"
  expect_refusal "gRPC's headers and library differ in version" \
    'is gRPC 1.50.0 (core 28.0.0), the library is core 29.0.0' \
    'name a tree of gRPC 1.51.1'
}

NamesAFolderWithoutHeaders() {
  configure -DRETRY_GUARD_GRPC_SOURCE_DIR="$work"
  expect_refusal 'is no gRPC source tree' 'an unpacked gRPC 1.51.1'
}

NamesHeadersThatCannotBeFetched() {
  export HOME='' XDG_CACHE_HOME=''
  configure
  expect_refusal "gRPC's internal headers could not be fetched" \
    '-DRETRY_GUARD_GRPC_SOURCE_DIR=<folder>' 'Set HOME or XDG_CACHE_HOME'
}

rm -rf "$work"
mkdir -p "$work"
"$1"
