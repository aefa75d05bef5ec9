/* SPDX-License-Identifier: Apache-2.0 */
#include "core/window.h"
#include "property.h"

/* A span of ten slots of 1 ns each. */
#define SPAN RG_WINDOW_SLOTS
#define NOW 1000
/* Amounts that are there: a span old, and two slots. */
#define OLD 70
#define RECENT (UINT64_C(1) << 24)

static struct {
  struct rg_window window;
  struct rg_window_reading readings[2];
  RG_ATOMIC(uint64_t) begun; /* what the reader may see at most */
} world;

static struct rg_window_reading reading_at(uint64_t now) {
  return rg_window_read(&world.window, now);
}

static void start_new(void) { rg_window_init(&world.window, SPAN); }

static void start(void) {
  start_new();
  rg_window_add(&world.window, OLD, NOW - SPAN);
  rg_window_add(&world.window, RECENT, NOW - 2);
}

/* ---- Additions to one slot ---- */

static void add_one(int id) { rg_window_add(&world.window, 1u << 8 * id, NOW); }

static void both_are_there(void) {
  RG_REQUIRE(reading_at(NOW).recent == 0x101);
  RG_REQUIRE(reading_at(NOW).total == 0x101);
}

static void all_are_there(void) {
  RG_REQUIRE(reading_at(NOW).recent == RECENT + 0x10101);
  RG_REQUIRE(reading_at(NOW).total == OLD + RECENT + 0x10101);
}

/* ---- Additions on both sides of a turn ---- */

static void add_at_turn(int id) {
  rg_window_add(&world.window, 1u << 8 * id, NOW - (id == 0));
}

/* A thread that is a little late still counts, and no longer than it should. */
static void late_is_there(void) {
  all_are_there();
  RG_REQUIRE(reading_at(NOW + SPAN - 1).recent == 0x10100);
}

/* ---- Reading while slots turn ---- */

static void read_or_add(int id) {
  if (id > 0) {
    atomic_fetch_add(&world.begun, 1);
    rg_window_add(&world.window, 1, NOW + (id > 1));
    return;
  }
  for (int i = 0; i < 2; i++) {
    world.readings[i] = reading_at(NOW);
    uint64_t begun = atomic_load(&world.begun);
    RG_REQUIRE(world.readings[i].total <= begun);
    RG_REQUIRE(world.readings[i].recent <= begun - OLD);
  }
  RG_REQUIRE(world.readings[0].recent <= world.readings[1].recent);
}

static void start_reading(void) {
  start();
  world.begun = OLD + RECENT;
}

static void readings_went_up(void) {
  RG_REQUIRE(reading_at(NOW).recent == RECENT + 2);
  RG_REQUIRE(reading_at(NOW).total == OLD + RECENT + 2);
}

/* ---- A full slot ---- */

/* Two together reach the 2^30 that a slot holds; four is what the threads can
 * have added before one of them sees that. */
#define HALF ((1u << 29) - 1)

static void fill(int id) {
  for (int i = 0; i < 2; i++)
    rg_window_add(&world.window, HALF - (id > 0), NOW);
}

static void no_more_is_there(void) {
  uint64_t added = reading_at(NOW).recent - RECENT;
  RG_REQUIRE(added >= 2 * (HALF - 1) && added <= UINT64_C(4) * HALF);
  RG_REQUIRE(reading_at(NOW).total == OLD + RECENT + added);
  RG_REQUIRE(reading_at(NOW + SPAN).recent == 0);
}

/* ---- Emptying ---- */

static void empty_or_add(int id) {
  if (id == 0)
    rg_window_empty(&world.window, SPAN);
  else
    rg_window_add(&world.window, 1, NOW);
}

static void what_was_there_is_gone(void) {
  RG_REQUIRE(reading_at(NOW).recent <= 1);
  RG_REQUIRE(reading_at(NOW).total == OLD + RECENT + 1);
  rg_window_add(&world.window, 2, NOW);
  RG_REQUIRE(reading_at(NOW).recent >= 2 && reading_at(NOW).recent <= 3);
}

const struct rg_property rg_window_properties[] = {
    RG_PROPERTY("Window.AdditionsToANewOneAllCount", 2, start_new, add_one,
                both_are_there),
    RG_PROPERTY("Window.AdditionsThatTurnASlotAllCountOnce", 3, start, add_one,
                all_are_there),
    RG_PROPERTY("Window.AdditionsOnBothSidesOfATurnAllCount", 3, start,
                add_at_turn, late_is_there),
    RG_PROPERTY("Window.AReaderNeverSeesMoreThanWasAdded", 3, start_reading,
                read_or_add, readings_went_up),
    RG_SLOW_PROPERTY("Window.AFullSlotTakesNoMore", 3, start, fill,
                     no_more_is_there),
    RG_PROPERTY("Window.AnEmptyingTakesWhatWasThere", 2, start, empty_or_add,
                what_was_there_is_gone),
    {.name = NULL},
};
