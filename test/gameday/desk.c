/* SPDX-License-Identifier: Apache-2.0 */
#include "gameday/desk.h"

#include <pthread.h>

#include "sim/dice.h"
#include "support/rpc.h"

struct rg_desk {
  struct rg_place place;
  struct rg_sheet *sheet;
  struct rg_timers *timers;
  rg_desk_done *done;
  pthread_mutex_t mutex;
  struct rg_dice dice;
  uint32_t busy;
  uint32_t waiting;
  struct rg_task *first;
  struct rg_task *last;
  struct rg_timer pause_end;
  bool looks_out; /* for the end of a pause */
};

static const struct rg_tier_spec *spec_of(const struct rg_desk *desk) {
  return &desk->place.scenario->tiers[desk->place.tier];
}

static uint64_t draw_work(struct rg_desk *desk, uint64_t now) {
  const struct rg_tier_spec *spec = spec_of(desk);
  double mean =
      (double)spec->service_ns * rg_outage_slowness(&desk->place, now);
  return spec->is_constant ? (uint64_t)mean
                           : rg_dice_exponential(&desk->dice, mean);
}

/* Where the server throws away what nobody waits for, that costs no work. */
static bool is_dropped(const struct rg_desk *desk, const struct rg_task *task,
                       uint64_t at) {
  return spec_of(desk)->drops_abandoned && at >= task->deadline_ns;
}

static void on_work_done(void *data) {
  struct rg_task *task = data;
  rg_sheet_note_time(task->desk->sheet, task->due_ns, rg_rpc_now_ns());
  task->desk->done(task);
}

/* At `at`, which may be past. */
static void begin_work(struct rg_desk *desk, struct rg_task *task,
                       uint64_t at) {
  uint64_t begin = desk->sheet->begin_ns;
  uint64_t time = at > begin ? at - begin : 0;
  desk->busy++;
  uint64_t work = is_dropped(desk, task, at) ? 0 : draw_work(desk, time);
  task->due_ns = begin + rg_outage_work_end(&desk->place, time, work);
  task->work = (struct rg_timer){
      .due_ns = task->due_ns, .run = on_work_done, .data = task};
  rg_timers_add(desk->timers, &task->work);
}

static void on_pause_end(void *data);

/* Whether work stands still; if so, it goes on by itself. */
static bool is_paused(struct rg_desk *desk, uint64_t at) {
  uint64_t begin = desk->sheet->begin_ns;
  uint64_t until;
  if (at < begin || !rg_outage_pauses(&desk->place, at - begin, &until))
    return false;
  if (!desk->looks_out) {
    desk->looks_out = true;
    desk->pause_end = (struct rg_timer){
        .due_ns = begin + until, .run = on_pause_end, .data = desk};
    rg_timers_add(desk->timers, &desk->pause_end);
  }
  return true;
}

static struct rg_task *take_first(struct rg_desk *desk) {
  struct rg_task *task = desk->first;
  desk->first = task->next;
  if (desk->first == NULL) desk->last = NULL;
  desk->waiting--;
  return task;
}

static void begin_waiting_work(struct rg_desk *desk, uint64_t at) {
  while (desk->first != NULL && desk->busy < spec_of(desk)->workers) {
    uint64_t came = desk->first->came_ns;
    if (is_paused(desk, came > at ? came : at)) return;
    begin_work(desk, take_first(desk), came > at ? came : at);
  }
}

static void on_pause_end(void *data) {
  struct rg_desk *desk = data;
  pthread_mutex_lock(&desk->mutex);
  desk->looks_out = false;
  begin_waiting_work(desk, desk->pause_end.due_ns);
  pthread_mutex_unlock(&desk->mutex);
}

static void append(struct rg_desk *desk, struct rg_task *task) {
  task->next = NULL;
  if (desk->last != NULL)
    desk->last->next = task;
  else
    desk->first = task;
  desk->last = task;
  desk->waiting++;
}

struct rg_desk *rg_desk_new(const struct rg_place *place,
                            struct rg_sheet *sheet, struct rg_timers *timers,
                            rg_desk_done *done, uint64_t seed) {
  struct rg_desk *desk = rg_rpc_alloc(1, sizeof(*desk));
  desk->place = *place;
  desk->sheet = sheet;
  desk->timers = timers;
  desk->done = done;
  desk->dice.state = seed;
  pthread_mutex_init(&desk->mutex, NULL);
  return desk;
}

bool rg_desk_take(struct rg_desk *desk, struct rg_task *task, uint64_t now) {
  bool taken = true;
  task->desk = desk;
  task->came_ns = now;
  pthread_mutex_lock(&desk->mutex);
  if (desk->busy < spec_of(desk)->workers && !is_paused(desk, now))
    begin_work(desk, task, now);
  else if (desk->waiting < spec_of(desk)->queue)
    append(desk, task);
  else
    taken = false;
  pthread_mutex_unlock(&desk->mutex);
  return taken;
}

void rg_desk_leave(struct rg_desk *desk, uint64_t at) {
  pthread_mutex_lock(&desk->mutex);
  desk->busy--;
  begin_waiting_work(desk, at);
  pthread_mutex_unlock(&desk->mutex);
}

uint32_t rg_desk_waiting(struct rg_desk *desk) {
  pthread_mutex_lock(&desk->mutex);
  uint32_t waiting = desk->waiting;
  pthread_mutex_unlock(&desk->mutex);
  return waiting;
}
