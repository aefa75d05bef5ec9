/* SPDX-License-Identifier: Apache-2.0 */
#include "core/window.h"
#include "property.h"

/* A span of ten slots of 1 ns each. */
#define SPAN RG_WINDOW_SLOTS
#define NOW 1000
/* An amount that is in the slot of NOW, but a span old. */
#define OLD 70

static struct {
  struct rg_window window;
  struct rg_window_reading readings[2];
  RG_ATOMIC(uint64_t) begun; /* what the reader may see at most */
} world;

static struct rg_window_reading reading_at(uint64_t now) {
  return rg_window_read(&world.window, now);
}

static void start(void) { rg_window_init(&world.window, SPAN); }

static void start_old(void) {
  start();
  rg_window_add(&world.window, OLD, NOW - SPAN);
}

/* ---- Three additions to one slot ---- */

static void add_one(int id) { rg_window_add(&world.window, 1u << 8 * id, NOW); }

static void all_are_there(void) {
  RG_REQUIRE(reading_at(NOW).recent == 0x10101);
  RG_REQUIRE(reading_at(NOW).total == 0x10101);
}

static void all_and_old_are_there(void) {
  RG_REQUIRE(reading_at(NOW).recent == 0x10101);
  RG_REQUIRE(reading_at(NOW).total == 0x10101 + OLD);
}

/* ---- Additions on both sides of a turn ---- */

static void add_at_turn(int id) {
  rg_window_add(&world.window, 1u << 8 * id, NOW - (id == 0));
}

/* A thread that is a little late still counts. */
static void late_is_there(void) {
  RG_REQUIRE(reading_at(NOW).recent == 0x10101);
  RG_REQUIRE(reading_at(NOW).total == 0x10101 + OLD);
}

/* ---- Reading while a slot turns ---- */

static void read_or_add(int id) {
  if (id > 0) {
    atomic_fetch_add(&world.begun, 1);
    rg_window_add(&world.window, 1, NOW);
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
  start_old();
  world.begun = OLD;
}

static void readings_went_up(void) {
  RG_REQUIRE(reading_at(NOW).recent == 2);
  RG_REQUIRE(reading_at(NOW).total == OLD + 2);
}

/* ---- A full slot ---- */

/* Two together reach the 2^30 that a slot holds; six would leave it. */
#define HALF ((1u << 29) - 1)

static void fill(int id) {
  for (int i = 0; i < 2; i++)
    rg_window_add(&world.window, HALF - (id > 0), NOW);
}

static void nothing_spills(void) {
  RG_REQUIRE(reading_at(NOW).recent >= 2 * (HALF - 1));
  RG_REQUIRE(reading_at(NOW).recent == reading_at(NOW).total);
  RG_REQUIRE(reading_at(NOW + SPAN).recent == 0);
}

const struct rg_property rg_window_properties[] = {
    RG_PROPERTY("Window.AdditionsAtTheSameTimeAllCount", 3, start, add_one,
                all_are_there),
    RG_PROPERTY("Window.AdditionsThatTurnASlotAllCountOnce", 3, start_old,
                add_one, all_and_old_are_there),
    RG_PROPERTY("Window.AdditionsOnBothSidesOfATurnAllCount", 3, start_old,
                add_at_turn, late_is_there),
    RG_PROPERTY("Window.AReaderNeverSeesMoreThanWasAdded", 3, start_reading,
                read_or_add, readings_went_up),
    RG_PROPERTY("Window.AFullSlotDoesNotSpillIntoTheNext", 3, start, fill,
                nothing_spills),
    {.name = NULL},
};
