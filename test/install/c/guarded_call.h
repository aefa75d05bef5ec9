/* SPDX-License-Identifier: Apache-2.0 */

/* What stands in the README's example for a user's channels and servers. */
#ifndef GUARDED_CALL_H
#define GUARDED_CALL_H

/* Calls a server of its own, on loopback, that answers UNAVAILABLE, and says
 * how often it was tried and what the metrics tell of it. The process ends with
 * status 1 unless the guard was at work: the example's policy allows three
 * retries, and the retry budget of a new target one. After grpc_init. */
void guarded_call(void);

#endif
