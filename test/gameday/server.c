/* SPDX-License-Identifier: Apache-2.0 */

/* rg_gameday_server: one server of a game-day, until it is killed. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/num.h"
#include "gameday/app.h"
#include "gameday/breakers.h"
#include "gameday/desk.h"
#include "gameday/part.h"
#include "sim/dice.h"
#include "support/rpc_server.h"

struct server {
  struct rg_part part;
  struct rg_place place;
  struct rg_desk *desk;
  struct rg_link *links[RG_SHEET_TIERS]; /* to the tiers that are called */
  struct rg_dice dice;                   /* the timers' thread's */
  uint64_t rejections_before;            /* of those that it comes after */
};

struct request {
  struct rg_task task; /* first */
  struct server *server;
  struct rg_rpc_incoming *incoming;
  size_t calls_made;
};

static const struct rg_tier_spec *spec_of(const struct server *server) {
  return &server->part.scenario->tiers[server->place.tier];
}

/* ---- The request --------------------------------------------------------- */

static void answer(struct request *request, grpc_status_code status,
                   uint64_t at) {
  struct server *server = request->server;
  rg_rpc_reply(request->incoming, &(struct rg_rpc_answer){.status = status});
  free(request);
  rg_desk_leave(server->desk, at);
}

static void next_call(struct request *request, uint64_t at);

static void on_call_ended(grpc_status_code status, void *data) {
  struct request *request = data;
  if (status == GRPC_STATUS_OK)
    next_call(request, rg_rpc_now_ns());
  else
    answer(request, status, rg_rpc_now_ns());
}

static void next_call(struct request *request, uint64_t at) {
  struct server *server = request->server;
  if (request->calls_made == spec_of(server)->call_count)
    answer(request, GRPC_STATUS_OK, at);
  else
    rg_app_call(server->links[request->calls_made++], request->incoming->call,
                request->task.deadline_ns, on_call_ended, request);
}

static void on_work_done(struct rg_task *task) {
  struct request *request = (struct request *)task;
  struct server *server = request->server;
  uint64_t time = rg_part_time(&server->part, task->due_ns);
  double share = rg_outage_error_share(&server->place, time);
  if (share > 0 && rg_dice_share(&server->dice) < share)
    answer(request, GRPC_STATUS_UNAVAILABLE, task->due_ns);
  else
    next_call(request, task->due_ns);
}

/* ---- Its arrival --------------------------------------------------------- */

static uint32_t attempt_of(const struct rg_rpc_incoming *incoming) {
  struct rg_rpc_view view;
  char text[16] = "0";
  if (rg_rpc_find(incoming->metadata, RG_APP_TRIES, &view))
    snprintf(text, sizeof(text), "%.*s", (int)view.size, view.data);
  return (uint32_t)strtoul(text, NULL, 10) +
         rg_rpc_previous_attempts(incoming->metadata) + 1;
}

static void record(struct server *server,
                   const struct rg_rpc_incoming *incoming) {
  struct rg_part *part = &server->part;
  uint64_t time = rg_part_time(part, incoming->arrived_ns);
  uint32_t attempt = attempt_of(incoming);
  pthread_mutex_lock(&part->mutex);
  bool is_watched = server->place.tier == part->scenario->watch;
  if (is_watched) rg_record_arrival(&part->record, time, attempt);
  if (rg_part_counts(part, time)) {
    part->sheet->totals.requests += is_watched;
    part->sheet->totals.retries += attempt > 1;
  }
  pthread_mutex_unlock(&part->mutex);
}

static uint64_t deadline_of(const struct rg_rpc_incoming *incoming) {
  gpr_timespec at =
      gpr_convert_clock_type(incoming->deadline, GPR_CLOCK_MONOTONIC);
  if (at.tv_sec < 0) return 0;
  return rg_num_add(rg_num_mul((uint64_t)at.tv_sec, RG_NS_PER_S),
                    (uint64_t)at.tv_nsec);
}

static void on_call(struct rg_rpc_incoming *incoming, void *data) {
  struct server *server = data;
  struct request *request = rg_rpc_alloc(1, sizeof(*request));
  request->server = server;
  request->incoming = incoming;
  request->task.deadline_ns = deadline_of(incoming);
  record(server, incoming);
  if (rg_desk_take(server->desk, &request->task, incoming->arrived_ns)) return;
  free(request);
  rg_rpc_reply(incoming, &(struct rg_rpc_answer){
                             .status = GRPC_STATUS_RESOURCE_EXHAUSTED});
}

/* ---- Life ---------------------------------------------------------------- */

static void look(struct rg_slice *slice, void *data) {
  struct server *server = data;
  const struct rg_tier_spec *spec = spec_of(server);
  size_t watch = server->part.scenario->watch;
  if (server->place.tier == watch) slice->queue = rg_desk_waiting(server->desk);
  uint64_t rejections = server->rejections_before;
  for (size_t i = 0; i < spec->call_count; i++) {
    struct rg_slice elsewhere = {.calls = 0};
    rejections +=
        rg_breakers_look(rg_link_target(server->links[i]),
                         spec->calls[i] == watch ? slice : &elsewhere);
  }
  server->part.sheet->totals.rejections = rejections;
}

static void build(struct server *server) {
  struct rg_part *part = &server->part;
  server->rejections_before = part->sheet->totals.rejections;
  struct rg_sheet *sheet = part->sheet;
  server->place =
      (struct rg_place){part->scenario, sheet->tier, sheet->instance};
  server->dice.state = sheet->seed;
  uint64_t seed = rg_dice_bits(&server->dice);
  server->desk = rg_desk_new(&server->place, sheet, part->timers, on_work_done,
                             rg_dice_bits(&server->dice));
  struct rg_app *app = rg_app_new(sheet, part->scenario, part->timers, seed);
  const struct rg_tier_spec *spec = spec_of(server);
  for (size_t i = 0; i < spec->call_count; i++)
    server->links[i] = rg_app_link(app, spec->calls[i], (uint32_t)i);
}

int main(int argc, char **argv) {
  static struct server server; /* until the process is killed */
  char name[160];
  if (!rg_part_open(&server.part, argc, argv)) return EXIT_FAILURE;
  grpc_init();
  build(&server);
  snprintf(name, sizeof(name), "/%.128s/Call", spec_of(&server)->name);
  const struct rg_rpc_method method = {
      .name = name, .handler = on_call, .data = &server};
  const struct rg_rpc_server_options options = {
      .methods = &method, .count = 1, .port = server.part.sheet->port};
  struct rg_rpc_server *listening = rg_rpc_server_new(&options);
  if (listening == NULL) return EXIT_FAILURE;
  rg_part_look_on(&server.part, look, &server);
  printf("port %d\n", rg_rpc_server_port(listening));
  fflush(stdout);
  for (;;) pause();
}
