/* SPDX-License-Identifier: Apache-2.0 */

/* The hop context: what an incoming call hands on to the calls made on its
 * behalf (retry_guard_hop in public).
 *
 * It lives either inside a server call, which keeps it by its own reference
 * count, or on the heap with one of its own; `lifetime` tells which.
 *
 * Threads: immutable once published but for `stop_caller`; the reference
 * functions are safe. */
#ifndef RG_HOST_HOP_H
#define RG_HOST_HOP_H

#include <stdbool.h>
#include <stddef.h>

#include "core/cxx.h"
#include "core/deadline.h"
#include "core/layer.h"
#include "retry_guard/retry_guard.h"

RG_C_BEGIN

struct rg_hop_lifetime {
  void (*hold)(struct retry_guard_hop *hop);
  void (*release)(struct retry_guard_hop *hop);
};

struct retry_guard_hop {
  const struct rg_hop_lifetime *lifetime;
  void *owner;            /* for `lifetime` */
  RG_ATOMIC(size_t) refs; /* on the heap only */
  struct rg_ancestry ancestry;
  uint64_t deadline; /* of the incoming call, or RG_DEADLINE_NONE */
  /* Something failed downstream that the caller must not retry. */
  RG_ATOMIC(bool) stop_caller;
};

/* The hop context bound to this thread, or NULL. */
struct retry_guard_hop *rg_hop_of_thread(void);

RG_C_END

#endif
