# SPDX-License-Identifier: Apache-2.0
"""A room of the plugin as a library, compiled as CMake does."""

load("@rules_cc//cc:defs.bzl", "cc_library")

# Where this repository is when others build it.
_ROOT = Label("//:BUILD.bazel").workspace_root

def in_repository(path):
    """The path of a folder of this repository, as compilers get it."""
    return _ROOT + "/" + path if _ROOT else path

# "grpc/x.h" is ours and <grpc/x.h> gRPC's: ours is found by quotes only.
QUOTED = ["-iquote", in_repository("plugin")]

def room(name, sources, language = "-std=c11", copts = [], **kwargs):
    """Adds the library rg_<name> of the folder plugin/<name>.

    Args:
      name: the folder
      sources: files below plugin/
      language: the option that sets it
      copts: more options
      **kwargs: goes to cc_library
    """
    cc_library(
        name = "rg_" + name,
        srcs = ["plugin/" + source for source in sources],
        hdrs = native.glob(["plugin/%s/*.h" % name]),
        copts = [language, "-fvisibility=hidden"] + QUOTED + copts,
        # Hidden symbols are seen within one program or library only.
        linkstatic = True,
        **kwargs
    )
