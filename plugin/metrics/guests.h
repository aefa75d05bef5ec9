/* SPDX-License-Identifier: Apache-2.0 */

/* The open connections of a server, oldest first: when there are too many, the
 * oldest has to go. A client that sends a byte now and then is never silent,
 * and could keep its place for ever; so the newest always gets one.
 *
 * Threads: one owner. */
#ifndef RG_METRICS_GUESTS_H
#define RG_METRICS_GUESTS_H

#include <stddef.h>

#include "core/cxx.h"

RG_C_BEGIN

/* Enough for two scrapers and some people; each may hold a whole text that it
 * does not read, of megabytes with many targets. */
#define RG_GUESTS_MAX 8
#define RG_GUESTS_NOBODY (-1)

/* All zero: nobody is there. */
struct rg_guests {
  int sockets[RG_GUESTS_MAX];
  size_t count;
};

/* Adds `socket`. Returns the oldest one, if it has to go for it: it is
 * forgotten, and may leave later, to no effect. */
int rg_guests_enter(struct rg_guests *guests, int socket);

/* Forgets `socket`, if it is there. */
void rg_guests_leave(struct rg_guests *guests, int socket);

RG_C_END

#endif
