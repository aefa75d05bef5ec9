/* SPDX-License-Identifier: Apache-2.0 */

/* rg_gameday_client: all clients of one load of a game-day. They are in one
 * process, but each has a connection, a budget and a breaker of its own. */
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/num.h"
#include "gameday/app.h"
#include "gameday/arrivals.h"
#include "gameday/breakers.h"
#include "gameday/part.h"

struct client {
  struct crowd *crowd;
  struct rg_link *link;
  atomic_uint calls_out;
};

struct crowd {
  struct rg_part part;
  const struct rg_load_spec *load;
  struct client *clients;
};

/* ---- One call ------------------------------------------------------------ */

static void on_ended(grpc_status_code status, void *data) {
  struct client *client = data;
  struct rg_part *part = &client->crowd->part;
  struct rg_run_totals *totals = &part->sheet->totals;
  uint64_t time = rg_part_time(part, rg_rpc_now_ns());
  bool ok = status == GRPC_STATUS_OK;
  pthread_mutex_lock(&part->mutex);
  struct rg_slice *slice = rg_record_at(&part->record, time);
  if (ok)
    slice->ok++;
  else
    slice->failed++;
  if (rg_part_counts(part, time)) {
    totals->ok += ok;
    totals->failed += !ok;
  }
  pthread_mutex_unlock(&part->mutex);
  atomic_fetch_sub(&client->calls_out, 1);
}

static void record_begin(struct rg_part *part, uint64_t due, uint64_t now) {
  uint64_t time = rg_part_time(part, now);
  pthread_mutex_lock(&part->mutex);
  rg_record_at(&part->record, time)->calls++;
  if (rg_part_counts(part, time)) part->sheet->totals.calls++;
  rg_sheet_note_time(part->sheet, due, now);
  pthread_mutex_unlock(&part->mutex);
}

static void call(struct client *client, uint64_t due) {
  const struct rg_load_spec *load = client->crowd->load;
  if (load->arrival == RG_ARRIVAL_INTERVAL && client->calls_out > 0) return;
  uint64_t now = rg_rpc_now_ns();
  record_begin(&client->crowd->part, due, now);
  atomic_fetch_add(&client->calls_out, 1);
  rg_app_call(client->link, NULL, rg_num_add(now, load->deadline_ns), on_ended,
              client);
}

/* ---- All of them --------------------------------------------------------- */

static void look(struct rg_slice *slice, void *data) {
  struct crowd *crowd = data;
  struct rg_slice elsewhere = {.calls = 0};
  if (crowd->load->tier != crowd->part.scenario->watch) slice = &elsewhere;
  uint64_t rejections = 0;
  for (uint32_t i = 0; i < crowd->load->clients; i++)
    rejections +=
        rg_breakers_look(rg_link_target(crowd->clients[i].link), slice);
  crowd->part.sheet->totals.rejections = rejections;
}

static void build(struct crowd *crowd) {
  struct rg_part *part = &crowd->part;
  struct rg_app *app =
      rg_app_new(part->sheet, part->scenario, part->timers, part->sheet->seed);
  crowd->load = &part->scenario->loads[part->sheet->load];
  crowd->clients = rg_rpc_alloc(crowd->load->clients, sizeof(struct client));
  for (uint32_t i = 0; i < crowd->load->clients; i++) {
    crowd->clients[i].crowd = crowd;
    crowd->clients[i].link = rg_app_link(app, crowd->load->tier, i);
  }
}

static bool make_load(struct crowd *crowd) {
  const struct rg_part *part = &crowd->part;
  uint64_t begin = part->sheet->begin_ns;
  struct rg_arrivals arrivals;
  uint64_t at;
  uint32_t client;
  if (!rg_arrivals_init(&arrivals, crowd->load, ~part->sheet->seed))
    return false;
  while (rg_arrivals_next(&arrivals, &at, &client) &&
         at < part->scenario->duration_ns) {
    rg_part_sleep(begin + at);
    call(&crowd->clients[client], begin + at);
  }
  rg_arrivals_clean_up(&arrivals);
  rg_part_sleep(begin + part->scenario->duration_ns);
  return true;
}

int main(int argc, char **argv) {
  static struct crowd crowd;
  if (!rg_part_open(&crowd.part, argc, argv)) return EXIT_FAILURE;
  grpc_init();
  build(&crowd);
  rg_part_look_on(&crowd.part, look, &crowd);
  /* What is under way is not waited for: it may be for ever. */
  _exit(make_load(&crowd) ? EXIT_SUCCESS : EXIT_FAILURE);
}
