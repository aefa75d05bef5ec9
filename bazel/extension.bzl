# SPDX-License-Identifier: Apache-2.0
"""The same for MODULE.bazel."""

load("//bazel:repositories.bzl", "retry_guard_repositories")

def _system_impl(_):
    retry_guard_repositories()

system = module_extension(implementation = _system_impl)
