/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/connection.h"

#include "core/num.h"

#define FIRST_NS RG_NS_PER_S
#define LONGEST_NS (120 * RG_NS_PER_S)
#define GROWTH 1.6
#define JITTER 0.2

static void try_later(struct rg_connection *connection, struct rg_dice *dice) {
  if (connection->backoff_ns == 0) {
    connection->backoff_ns = FIRST_NS;
    connection->next_try += FIRST_NS;
    return;
  }
  double pause = (double)connection->backoff_ns * GROWTH;
  if (pause > (double)LONGEST_NS) pause = (double)LONGEST_NS;
  connection->backoff_ns = (uint64_t)pause;
  double jitter = JITTER * (2 * rg_dice_share(dice) - 1);
  connection->next_try += (uint64_t)(pause * (1 + jitter));
}

static void learn_of_crashes(struct rg_connection *connection,
                             const struct rg_listening *server, uint64_t now) {
  if (connection->crashes == server->crashes) return;
  connection->crashes = server->crashes;
  connection->broken = true;
  connection->backoff_ns = 0;
  connection->next_try = now;
}

bool rg_connection_is_up(struct rg_connection *connection,
                         const struct rg_listening *server,
                         struct rg_dice *dice, uint64_t now) {
  learn_of_crashes(connection, server, now);
  while (connection->broken && connection->next_try <= now) {
    if (server->is_up && connection->next_try >= server->changed_at)
      connection->broken = false;
    else
      try_later(connection, dice);
  }
  return !connection->broken;
}
