/* SPDX-License-Identifier: Apache-2.0 */
#include "gameday/arrivals.h"

#include <stdlib.h>

#include "core/num.h"

static int by_time(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a;
  uint64_t y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static void draw_firsts(struct rg_arrivals *arrivals) {
  const struct rg_load_spec *load = arrivals->load;
  for (uint32_t i = 0; i < load->clients; i++)
    arrivals->firsts[i] =
        (uint64_t)(rg_dice_share(&arrivals->dice) * (double)load->interval_ns);
  qsort(arrivals->firsts, load->clients, sizeof arrivals->firsts[0], by_time);
}

bool rg_arrivals_init(struct rg_arrivals *arrivals,
                      const struct rg_load_spec *load, uint64_t seed) {
  *arrivals = (struct rg_arrivals){.load = load, .dice.state = seed};
  if (load->arrival != RG_ARRIVAL_INTERVAL) return true;
  arrivals->firsts = calloc(load->clients, sizeof arrivals->firsts[0]);
  if (arrivals->firsts == NULL) return false;
  draw_firsts(arrivals);
  return true;
}

void rg_arrivals_clean_up(struct rg_arrivals *arrivals) {
  free(arrivals->firsts);
}

bool rg_arrivals_next(struct rg_arrivals *arrivals, uint64_t *at,
                      uint32_t *client) {
  const struct rg_load_spec *load = arrivals->load;
  uint64_t number = arrivals->count++;
  *client = (uint32_t)(number % load->clients);
  switch (load->arrival) {
    case RG_ARRIVAL_RATE:
      *at = arrivals->at += rg_dice_exponential(
          &arrivals->dice, (double)RG_NS_PER_S / load->calls_per_s);
      *client = rg_dice_pick(&arrivals->dice, load->clients);
      return true;
    case RG_ARRIVAL_INTERVAL:
      *at = arrivals->firsts[*client] +
            number / load->clients * load->interval_ns;
      return true;
    case RG_ARRIVAL_AT_ONCE:
      *at = 0;
      return number < load->clients;
  }
  return false;
}
