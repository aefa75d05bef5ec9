# SPDX-License-Identifier: Apache-2.0
"""The repositories that the targets of this one need."""

load("//bazel:sources.bzl", "source_lists")
load("//bazel:system_grpc.bzl", "system_grpc")

def retry_guard_repositories():
    source_lists(name = "retry_guard_sources")
    system_grpc(name = "retry_guard_grpc")
