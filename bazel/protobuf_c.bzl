# SPDX-License-Identifier: Apache-2.0
"""What the system's protoc-c makes of .proto files."""

load("@rules_cc//cc:defs.bzl", "cc_library")

def protobuf_c_library(name, root, protos):
    """Adds the library `name`, on the system's libprotobuf-c.

    Args:
      name: of the library
      root: the folder that the protos are rooted at
      protos: the files below it
    """
    stems = ["%s/%s" % (root, proto[:-len(".proto")]) for proto in protos]
    sources = [stem + ".pb-c.c" for stem in stems]
    headers = [stem + ".pb-c.h" for stem in stems]
    native.genrule(
        name = name + "_generated",
        srcs = [stem + ".proto" for stem in stems],
        outs = sources + headers,
        cmd = "root=$$(echo $(location %s.proto) | sed 's|%s$$||'); " %
              (stems[0], protos[0]) +
              "protoc-c -I $$root --c_out=$(RULEDIR)/%s $(SRCS)" % root,
    )
    cc_library(
        name = name,
        srcs = sources,
        hdrs = headers,
        includes = [root],
        linkopts = ["-lprotobuf-c"],
        linkstatic = True,
    )
