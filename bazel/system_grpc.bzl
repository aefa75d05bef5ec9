# SPDX-License-Identifier: Apache-2.0
"""The system's gRPC and its internal headers, as plugin/grpc/find_grpc.cmake
finds and judges them."""

def _run(ctx, command, complaint):
    result = ctx.execute(command)
    if result.return_code != 0:
        fail(complaint + "\n" + result.stderr)
    return result.stdout.strip()

def _pkg_config(ctx, *arguments):
    return _run(
        ctx,
        ["pkg-config"] + list(arguments) + ["grpc"],
        "gRPC was not found: install pkgconf and libgrpc-dev.",
    )

# The only version that the plugin works with.
def _supported(ctx):
    key = "set(RETRY_GUARD_SUPPORTED_GRPC_CORE "
    text = ctx.read(Label("//:plugin/grpc/find_grpc.cmake"))
    return text.split(key)[1].split(")")[0]

# A program that links only if the library was built without NDEBUG, and prints
# which library that is.
def _check(ctx, flags, version):
    source = ctx.path(Label("//:plugin/grpc/link_check.cc"))
    compiler = ctx.os.environ.get("CXX", "c++")
    _run(
        ctx,
        [compiler, "-std=c++17", str(source), "-o", "link_check"] + flags,
        "libgrpc cannot be linked: it was built with NDEBUG or against " +
        "another Abseil. Use the distribution's libgrpc-dev and libabsl-dev.",
    )
    found = _run(ctx, ["./link_check"], "libgrpc cannot be loaded.")
    if found != version:
        fail("grpc.pc says core %s, libgrpc %s." % (version, found))

# Copied, since gRPC's folders are packages of Bazel, and of others than these.
_COPY = """
set -e
tree=$("$1")
cd "$tree"
find src/core -name '*.h' -exec cp --parents -t "$2" {} +
"""

def _copy_headers(ctx):
    script = ctx.path(Label("//:plugin/grpc/fetch_headers.sh"))
    _run(
        ctx,
        ["bash", "-c", _COPY, "copy", str(script), str(ctx.path("."))],
        "gRPC's internal headers could not be fetched.",
    )

_BUILD = """
package(default_visibility = ["//visibility:public"])

cc_library(
    name = "grpc",
    linkopts = %r,
)

cc_library(
    name = "internals",
    hdrs = glob(["src/core/**/*.h"]),
    includes = ["."],
    deps = [":grpc"],
)
"""

def _system_grpc_impl(ctx):
    version = _pkg_config(ctx, "--modversion")
    if version != _supported(ctx):
        fail("gRPC core %s is not supported, but %s only: the internal " %
             (version, _supported(ctx)) + "structures change.")
    libs = _pkg_config(ctx, "--libs").split(" ")
    _check(ctx, libs, version)
    _copy_headers(ctx)
    ctx.file("BUILD.bazel", _BUILD % libs)

system_grpc = repository_rule(
    implementation = _system_grpc_impl,
    environ = ["CXX", "HOME", "PKG_CONFIG_PATH", "XDG_CACHE_HOME"],
    local = True,
    doc = "A repository with the targets grpc and internals.",
)
