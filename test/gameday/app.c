/* SPDX-License-Identifier: Apache-2.0 */
#include "gameday/app.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/num.h"
#include "sim/loop.h"

struct rg_app {
  const struct rg_sheet *sheet;
  const struct rg_scenario *scenario;
  const struct rg_variant_spec *variant;
  struct rg_timers *timers;
  struct rg_rpc_channel *first; /* its thread collects all results */
  pthread_mutex_t mutex;        /* of the dice */
  struct rg_dice dice;
  uint64_t end_ns;
};

struct rg_link {
  struct rg_app *app;
  struct rg_rpc_channel *channel;
  char target[RG_SHEET_TEXT + 160];
  char method[160];
};

/* One call of the application. */
struct call {
  struct rg_link *link;
  grpc_call *parent;
  uint64_t deadline_ns;
  rg_app_done *done;
  void *data;
  uint32_t tries; /* begun */
  struct rg_timer pause;
};

struct rg_app *rg_app_new(const struct rg_sheet *sheet,
                          const struct rg_scenario *scenario,
                          struct rg_timers *timers, uint64_t seed) {
  struct rg_app *app = rg_rpc_alloc(1, sizeof(*app));
  app->sheet = sheet;
  app->scenario = scenario;
  app->variant = &scenario->variants[sheet->variant];
  app->timers = timers;
  app->dice.state = seed;
  app->end_ns = sheet->begin_ns + scenario->duration_ns;
  pthread_mutex_init(&app->mutex, NULL);
  return app;
}

/* ---- Channels ------------------------------------------------------------ */

/* gRPC takes what follows the addresses for nothing; the guard, for another
 * target. Without the local pool the channels would share connections. */
struct rg_link *rg_app_link(struct rg_app *app, size_t tier, uint32_t number) {
  struct rg_link *link = rg_rpc_alloc(1, sizeof(*link));
  const char *config = app->scenario->configs[app->sheet->variant];
  const struct rg_tier_spec *spec = &app->scenario->tiers[tier];
  const grpc_arg own[] = {
      {.type = GRPC_ARG_STRING,
       .key = GRPC_ARG_DEFAULT_AUTHORITY,
       .value.string = "gameday"},
      {.type = GRPC_ARG_INTEGER,
       .key = GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL,
       .value.integer = 1},
      {.type = GRPC_ARG_STRING,
       .key = GRPC_ARG_LB_POLICY_NAME,
       .value.string = "round_robin"},
  };
  const grpc_channel_args args = {.num_args = sizeof(own) / sizeof(own[0]),
                                  .args = (grpc_arg *)own};
  link->app = app;
  snprintf(link->target, sizeof(link->target), "ipv4:%s?number=%u",
           app->sheet->addresses[tier], number);
  snprintf(link->method, sizeof(link->method), "/%.128s/Call", spec->name);
  if (app->first == NULL)
    app->first = link->channel =
        rg_rpc_channel_new(link->target, config, &args);
  else
    link->channel =
        rg_rpc_channel_new_beside(app->first, link->target, config, &args);
  grpc_channel_check_connectivity_state(rg_rpc_channel_grpc(link->channel), 1);
  return link;
}

const char *rg_link_target(const struct rg_link *link) { return link->target; }

/* ---- The loop ------------------------------------------------------------ */

static uint64_t draw_pause(struct call *call) {
  struct rg_app *app = call->link->app;
  pthread_mutex_lock(&app->mutex);
  uint64_t pause =
      rg_loop_pause_ns(&app->variant->loop, call->tries - 1, &app->dice);
  pthread_mutex_unlock(&app->mutex);
  return pause;
}

static void try_once(void *data);

/* Whether the application calls once more. A caller that is not there any more
 * is called for in vain. */
static bool goes_on(struct call *call, grpc_status_code status) {
  struct rg_app *app = call->link->app;
  const struct rg_variant_spec *variant = app->variant;
  if (!variant->has_loop || status == GRPC_STATUS_OK) return false;
  if (status == GRPC_STATUS_CANCELLED || call->tries >= variant->loop.attempts)
    return false;
  uint64_t pause = draw_pause(call);
  uint64_t at = rg_num_add(rg_rpc_now_ns(), pause);
  if (at >= call->deadline_ns || at >= app->end_ns) return false;
  if (pause == 0) {
    try_once(call);
    return true;
  }
  call->pause = (struct rg_timer){.due_ns = at, .run = try_once, .data = call};
  rg_timers_add(app->timers, &call->pause);
  return true;
}

static void on_tried(const struct rg_rpc_result *result, void *data) {
  struct call *call = data;
  if (goes_on(call, result->status)) return;
  call->done(result->status, call->data);
  free(call);
}

/* 0: none. */
static uint32_t timeout_ms(const struct call *call) {
  const struct rg_variant_spec *variant = call->link->app->variant;
  uint64_t left = rg_num_sub(call->deadline_ns, rg_rpc_now_ns());
  if (variant->has_loop && variant->loop.attempt_ns < left)
    left = variant->loop.attempt_ns;
  if (left > UINT32_MAX * RG_NS_PER_MS) return 0;
  return left < RG_NS_PER_MS ? 1 : (uint32_t)(left / RG_NS_PER_MS);
}

static void try_once(void *data) {
  struct call *call = data;
  char before[16];
  snprintf(before, sizeof(before), "%u", call->tries);
  const struct rg_rpc_entry entry = rg_rpc_text(RG_APP_TRIES, before);
  const struct rg_rpc_request request = {
      .method = call->link->method,
      .metadata = &entry,
      .metadata_count = call->tries > 0 ? 1 : 0,
      .parent = call->parent,
      .timeout_ms = timeout_ms(call),
  };
  call->tries++;
  rg_rpc_start(call->link->channel, &request, on_tried, call, NULL);
}

void rg_app_call(struct rg_link *link, grpc_call *parent, uint64_t deadline_ns,
                 rg_app_done *done, void *data) {
  struct call *call = rg_rpc_alloc(1, sizeof(*call));
  *call = (struct call){
      .link = link,
      .parent = parent,
      .deadline_ns = deadline_ns,
      .done = done,
      .data = data,
  };
  try_once(call);
}
