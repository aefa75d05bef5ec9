/* SPDX-License-Identifier: Apache-2.0 */

/* Addresses as people write them, and sockets that listen there.
 *
 * Threads: safe. */
#ifndef RG_METRICS_LISTEN_H
#define RG_METRICS_LISTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "core/cxx.h"
#include "retry_guard/retry_guard.h"

RG_C_BEGIN

/* "[", an address of IPv6, "]:65535". */
#define RG_LISTEN_TEXT_SIZE 64

struct rg_listen_address {
  struct sockaddr_storage socket;
  socklen_t length;
};

/* Reads `text` as metrics_endpoint.h describes it, NULL as ""; false: it is
 * none. No name is looked up. */
bool rg_listen_parse(const char *text, struct rg_listen_address *address);

/* Opens a socket there that listens, and that programs started later do not
 * inherit. Returns OK, ADDRESS_IN_USE or CANNOT_LISTEN. */
retry_guard_status rg_listen_open(const struct rg_listen_address *address,
                                  int *fd);

/* Writes where the socket `fd` listens; `text` has RG_LISTEN_TEXT_SIZE bytes.
 */
void rg_listen_describe(int fd, char *text);

RG_C_END

#endif
