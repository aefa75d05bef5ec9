/* SPDX-License-Identifier: Apache-2.0 */

/* How a process of a game-day calls: an application's loop around gRPC's calls,
 * or gRPC's own retries, as the variant says.
 *
 * Threads: safe, but for new. */
#ifndef RG_TEST_GAMEDAY_APP_H
#define RG_TEST_GAMEDAY_APP_H

#include "gameday/sheet.h"
#include "support/rpc_client.h"
#include "support/timer.h"

RG_C_BEGIN

/* The entry that says how often the loop called before; absent: never. */
#define RG_APP_TRIES "gameday-tries"

struct rg_app;

/* A channel to a tier: what is a process of its own in the scenario, and a
 * target of its own to the guard. */
struct rg_link;

/* All are borrowed for ever, and it is never destroyed: the process ends with
 * calls under way. */
struct rg_app *rg_app_new(const struct rg_sheet *sheet,
                          const struct rg_scenario *scenario,
                          struct rg_timers *timers, uint64_t seed);

/* Makes the channel, number so and so of those to `tier`, and connects. */
struct rg_link *rg_app_link(struct rg_app *app, size_t tier, uint32_t number);

/* As the guard calls it. */
const char *rg_link_target(const struct rg_link *link);

/* Hears once how the call of the application ended. */
typedef void rg_app_done(grpc_status_code status, void *data);

/* Calls on behalf of `parent` (NULL: none), until `deadline_ns` at most
 * (CLOCK_MONOTONIC, or RG_NEVER). */
void rg_app_call(struct rg_link *link, grpc_call *parent, uint64_t deadline_ns,
                 rg_app_done *done, void *data);

RG_C_END

#endif
