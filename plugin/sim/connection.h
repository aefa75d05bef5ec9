/* SPDX-License-Identifier: Apache-2.0 */

/* A client's connection to one server, as gRPC 1.51 keeps it: a broken one is
 * made anew for the next attempt, and when that is refused after 1 s, 1.6 s,
 * 2.56 s ... up to 120 s, all but the first up to 20 % sooner or later (gRPC's
 * connection backoff). Until then no attempt goes there.
 *
 * What happened since it was last looked at is made up for when somebody looks.
 *
 * Threads: one owner. */
#ifndef RG_SIM_CONNECTION_H
#define RG_SIM_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cxx.h"
#include "sim/dice.h"

RG_C_BEGIN

/* When a server listened, as its clients can know. */
struct rg_listening {
  bool is_up;
  uint32_t crashes;    /* so far */
  uint64_t changed_at; /* when it came up, or went down */
};

/* Zeroed, it is connected to a server that never crashed. */
struct rg_connection {
  uint32_t crashes; /* of the server, that it knows of */
  bool broken;
  uint64_t next_try;
  uint64_t backoff_ns;
};

/* Whether it is there at `now`. */
bool rg_connection_is_up(struct rg_connection *connection,
                         const struct rg_listening *server,
                         struct rg_dice *dice, uint64_t now);

RG_C_END

#endif
