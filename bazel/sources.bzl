# SPDX-License-Identifier: Apache-2.0
"""The one list of sources, plugin/sources.cmake, for Bazel."""

def _lists(text):
    lists = {}
    name = None
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("set("):
            name = line[len("set("):]
            lists[name] = []
        elif line == ")":
            name = None
        elif name and line and not line.startswith("#"):
            lists[name].append(line)
    return lists

def _source_lists_impl(ctx):
    lists = _lists(ctx.read(Label("//:plugin/sources.cmake")))
    ctx.file("BUILD.bazel")
    ctx.file("sources.bzl", "".join([
        "%s = %r\n" % (name, files)
        for name, files in lists.items()
    ]))

source_lists = repository_rule(
    implementation = _source_lists_impl,
    doc = "A repository whose sources.bzl has the lists under their names.",
)
