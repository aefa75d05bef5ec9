/* SPDX-License-Identifier: Apache-2.0 */

/* Retry Guard: the text of retry_guard/metrics.h served by HTTP, for
 * Prometheus to scrape and `retry-guard top` to read. Part of the library
 * libretry_guard_metrics, so that programs without it need no HTTP server.
 *
 *   GET /metrics   the text, as OpenMetrics if the Accept header prefers it
 *   GET /healthz   "ok"
 *
 * HEAD is answered too, other methods with 405, other paths with 404. There is
 * no TLS and no authentication: it listens on the loopback interface unless
 * told otherwise.
 *
 * All strings are UTF-8. No function raises a signal or throws, and none sets
 * errno but for want of memory. */
#ifndef RETRY_GUARD_METRICS_ENDPOINT_H
#define RETRY_GUARD_METRICS_ENDPOINT_H

#include "retry_guard/retry_guard.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The port that is meant where an address names none. */
#define RETRY_GUARD_METRICS_PORT 9464

typedef struct retry_guard_metrics_server retry_guard_metrics_server;

/* Starts to serve on `address` and puts the server into `*server`.
 *
 * An address is HOST:PORT, HOST, :PORT or "" (or NULL). The host is
 * "localhost" or a number, in brackets if it is one of IPv6, such as "[::1]";
 * none means 127.0.0.1, and "0.0.0.0" or "[::]" every interface of the machine.
 * No port means 9464, port 0 any free one: retry_guard_metrics_address tells
 * which.
 *
 * Returns OK, and the caller owns the server, to be stopped with
 * retry_guard_metrics_stop. Otherwise `*server` is NULL and nothing has
 * changed: INVALID_ARGUMENT for a NULL `server` or what is no such address,
 * ADDRESS_IN_USE, CANNOT_LISTEN, OUT_OF_MEMORY.
 *
 * Side effects: one thread, which handles no signals, and one listening
 * socket, which programs started by this one do not inherit. At most 8
 * connections are open: one more ends the oldest, so that slow clients do not
 * keep others out. A connection that is silent for 10 seconds ends, too. A
 * child of fork has no server and must not stop its parent's, but keeps the
 * address in use for as long as it lives or until it becomes another program.
 * Thread-safe. */
RETRY_GUARD_API retry_guard_status retry_guard_metrics_serve(
    const char *address, retry_guard_metrics_server **server);

/* The same with the address in the environment variable RETRY_GUARD_METRICS,
 * for programs that are configured by it. Returns NOT_FOUND, with `*server`
 * NULL, when it is not set or empty. The environment must not be changed
 * meanwhile. */
RETRY_GUARD_API retry_guard_status
retry_guard_metrics_serve_from_environment(retry_guard_metrics_server **server);

/* Where `server` (not NULL) listens, with its port: "127.0.0.1:9464". Valid
 * until it is stopped. Thread-safe. */
RETRY_GUARD_API const char *retry_guard_metrics_address(
    const retry_guard_metrics_server *server);

/* Ends the server, its connections and its thread, and frees it; waits for an
 * answer that is being made. NULL is ignored. Call it once, and not while
 * another thread uses `server`. */
RETRY_GUARD_API void retry_guard_metrics_stop(
    retry_guard_metrics_server *server);

#ifdef __cplusplus
}
#endif

#endif /* RETRY_GUARD_METRICS_ENDPOINT_H */
