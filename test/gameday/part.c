/* SPDX-License-Identifier: Apache-2.0 */
#include "gameday/part.h"

#include <stdio.h>
#include <time.h>

#include "core/num.h"
#include "support/rpc.h"

bool rg_part_open(struct rg_part *part, int argc, char **argv) {
  *part = (struct rg_part){.sheet = NULL};
  if (argc != 2) {
    fputs("This is a part of a game-day: see rg_gameday.\n", stderr);
    return false;
  }
  part->sheet = rg_sheet_open(argv[1]);
  if (part->sheet == NULL) return false;
  part->scenario = rg_fit_read(part->sheet->scenario, &part->sheet->fit);
  if (part->scenario == NULL) return false;
  part->record = rg_sheet_record(part->sheet);
  part->timers = rg_timers_new();
  pthread_mutex_init(&part->mutex, NULL);
  return true;
}

static void plan_look(struct rg_part *part);

static void on_slice_end(void *data) {
  struct rg_part *part = data;
  pthread_mutex_lock(&part->mutex);
  part->look(&part->record.slices[part->slice], part->data);
  pthread_mutex_unlock(&part->mutex);
  part->slice++;
  plan_look(part);
}

static void plan_look(struct rg_part *part) {
  if (part->slice >= part->record.count) return;
  part->slice_end = (struct rg_timer){
      .due_ns = part->sheet->begin_ns + (part->slice + 1) * RG_RECORD_SLICE_NS,
      .run = on_slice_end,
      .data = part,
  };
  rg_timers_add(part->timers, &part->slice_end);
}

void rg_part_look_on(struct rg_part *part, rg_part_look *look, void *data) {
  part->look = look;
  part->data = data;
  part->slice = rg_part_time(part, rg_rpc_now_ns()) / RG_RECORD_SLICE_NS;
  plan_look(part);
}

uint64_t rg_part_time(const struct rg_part *part, uint64_t now_ns) {
  return rg_num_sub(now_ns, part->sheet->begin_ns);
}

bool rg_part_counts(const struct rg_part *part, uint64_t time) {
  return time >= part->scenario->warm_up_ns;
}

void rg_part_sleep(uint64_t ns) {
  const struct timespec at = {(time_t)(ns / RG_NS_PER_S),
                              (long)(ns % RG_NS_PER_S)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0) {
  }
}
