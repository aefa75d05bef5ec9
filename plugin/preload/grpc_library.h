/* SPDX-License-Identifier: Apache-2.0 */

/* The gRPC library of the process, found without being linked to it: otherwise
 * every program, `ls` too, would load gRPC.
 *
 * Threads: safe. Each look-up takes the lock of the dynamic loader. */
#ifndef RG_PRELOAD_GRPC_LIBRARY_H
#define RG_PRELOAD_GRPC_LIBRARY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void rg_grpc_init(void);

/* Whether the gRPC library that the guard is for is in the process. It is never
 * unloaded from then on. */
bool rg_grpc_library_is_here(void);

/* The grpc_init that a caller at `address` would get without `own`, which is
 * the preloaded one: the next one that all objects see, otherwise the one among
 * the libraries that the caller's own object brought along; NULL: none.
 * `*everybodys` tells whether it is the same for all callers. */
rg_grpc_init *rg_grpc_library_next_init(rg_grpc_init *own, void *address,
                                        bool *everybodys);

/* Whether `init` is that of the library that the guard is for. */
bool rg_grpc_library_fits(rg_grpc_init *init);

/* The file of the object that `init` is in, such as
 * "/lib/x86_64-linux-gnu/libgrpc.so.30"; static, never NULL. */
const char *rg_grpc_library_path(rg_grpc_init *init);

#ifdef __cplusplus
}
#endif

#endif
