/* SPDX-License-Identifier: Apache-2.0 */

/* A TCP proxy on loopback that breaks connections in the ways of networks:
 * resets, ends in one direction only, bytes that get lost.
 *
 * Threads: safe, but for new and destroy, which are the owner's. */
#ifndef RG_TEST_SUPPORT_PROXY_H
#define RG_TEST_SUPPORT_PROXY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/cxx.h"

RG_C_BEGIN

struct rg_proxy;

/* Passes on to 127.0.0.1:`port`; ends the process when there is no socket to be
 * had. */
struct rg_proxy *rg_proxy_new(int port);

/* "127.0.0.1:port", the proxy's. */
const char *rg_proxy_address(const struct rg_proxy *proxy);

/* How many connections it has accepted so far. */
size_t rg_proxy_connections(const struct rg_proxy *proxy);

/* From here on, drops all that the server sends, or passes it on again. */
void rg_proxy_swallow(struct rg_proxy *proxy, bool swallow);

/* Resets all connections with their clients. */
void rg_proxy_reset(struct rg_proxy *proxy);

/* Tells the clients of all connections that nothing more will come, and goes on
 * to take what they send. */
void rg_proxy_half_close(struct rg_proxy *proxy);

/* Ends all connections and frees the proxy. */
void rg_proxy_destroy(struct rg_proxy *proxy);

RG_C_END

#endif
