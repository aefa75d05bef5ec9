# SPDX-License-Identifier: Apache-2.0
"""What Bazel itself depends on, for Debian's Bazel 4.2."""

def _files_impl(ctx):
    for path, content in ctx.attr.files.items():
        ctx.file(path, content)

_files = repository_rule(
    implementation = _files_impl,
    attrs = {"files": attr.string_dict()},
    doc = "A repository of these files and their contents.",
)

# Debian's own rules_cc is for a newer Bazel than Debian's.
_NATIVE_RULES = """
cc_binary = native.cc_binary
cc_library = native.cc_library
cc_test = native.cc_test
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
"""

# Every test depends on it, whether or not its coverage is asked for.
_NO_COVERAGE = """
filegroup(
    name = "coverage_report_generator",
    visibility = ["//visibility:public"],
)
"""

_PACKAGED = {
    "bazel_skylib": "tools/skylib",
    "platforms": "tools/platforms",
    "rules_java": "rules/java",
    "rules_proto": "rules/proto",
}

def debian_rules():
    """Defines what Bazel would fetch otherwise."""
    _files(
        name = "rules_cc",
        files = {
            "BUILD.bazel": "",
            "cc/BUILD.bazel": "",
            "cc/defs.bzl": _NATIVE_RULES,
        },
    )
    _files(
        name = "remote_coverage_tools",
        files = {"BUILD.bazel": _NO_COVERAGE},
    )
    for name, path in _PACKAGED.items():
        native.local_repository(name = name, path = "/usr/share/bazel/" + path)
