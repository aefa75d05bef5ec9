/* SPDX-License-Identifier: Apache-2.0 */
#include "core/retry_window.h"
#include "property.h"

/* An interval of ten slots of 1 ns each. */
#define INTERVAL RG_WINDOW_SLOTS
#define NOW 1000
#define RETRY 1000

static struct {
  struct rg_retry_window window;
  uint64_t taken, kept;
  uint64_t at_close; /* retries that were seen after it */
  RG_ATOMIC(bool) closed;
} world;

static void start_with(uint32_t percent, uint64_t retries, uint64_t now) {
  struct rg_retry_window_policy policy = {.percent = percent,
                                          .interval_ns = INTERVAL,
                                          .min_retries_milli = retries * RETRY};
  rg_retry_window_init(&world.window, &policy, 0, 0, now);
}

static bool take(uint64_t now, uint32_t *epoch) {
  bool taken = rg_retry_window_take(&world.window, now, epoch);
  world.taken += taken;
  world.kept += taken;
  return taken;
}

static void refund(uint32_t epoch) {
  world.kept--;
  rg_retry_window_refund(&world.window, epoch);
}

static struct rg_retry_window_reading reading_at(uint64_t now) {
  return rg_retry_window_read(&world.window, now);
}

/* ---- Three takers of two retries ---- */

static void start_two(void) { start_with(0, 2, NOW); }

static void take_one(int id) {
  uint32_t epoch;
  (void)id;
  take(NOW, &epoch);
}

static void two_were_taken(void) {
  RG_REQUIRE(world.taken == 2);
  RG_REQUIRE(reading_at(NOW).retries == 2);
}

/* ---- Takers on both sides of turns ---- */

static void start_one(void) { start_with(0, 1, NOW); }

static void take_later(int id) {
  static const uint64_t later[] = {0, 1, INTERVAL - 1};
  uint32_t epoch;
  take(NOW + later[id], &epoch);
}

static void one_was_taken(void) {
  RG_REQUIRE(world.taken == 1);
  RG_REQUIRE(reading_at(NOW + INTERVAL - 1).retries == 1);
  RG_REQUIRE(reading_at(NOW + 3 * INTERVAL).left_milli == RETRY);
}

/* ---- A retry that leaves the interval ---- */

static void start_used_up(void) {
  uint32_t epoch;
  start_with(0, 1, NOW - INTERVAL - 1);
  take(NOW - INTERVAL - 1, &epoch);
  world.taken = 0;
}

static void take_at_turn(int id) {
  uint32_t epoch;
  take(NOW + (id > 0), &epoch);
}

static void one_was_taken_again(void) {
  RG_REQUIRE(world.taken == 1);
  RG_REQUIRE(reading_at(NOW + 1).retries == 1);
}

/* ---- Refunds on both sides of a turn ---- */

static void take_or_refund(int id) {
  uint32_t epoch;
  if (take(NOW + (id > 0), &epoch) && id != 1) refund(epoch);
}

/* One that was given back around the turn may count on for as long as the
 * turn's mark is the interval's beginning, which is on the safe side. */
static void what_was_kept_is_counted(void) {
  RG_REQUIRE(world.kept <= 1);
  RG_REQUIRE(reading_at(NOW + 1).retries == world.kept);
  RG_REQUIRE(reading_at(NOW + 1 + INTERVAL).retries <= world.kept + 1);
  RG_REQUIRE(reading_at(NOW + 3 * INTERVAL).left_milli == RETRY);
}

/* ---- A share of the calls ---- */

/* A half of one call. */
static void start_half(void) {
  start_with(50, 0, NOW);
  rg_retry_window_begin(&world.window, NOW - 1);
}

static void begin_and_take(int id) {
  uint32_t epoch;
  (void)id;
  rg_retry_window_begin(&world.window, NOW);
  take(NOW, &epoch);
}

static void half_was_taken(void) { RG_REQUIRE(world.taken == 2); }

/* ---- Closing ---- */

static void close_or_take(int id) {
  if (id == 0) {
    rg_retry_window_close(&world.window);
    atomic_store(&world.closed, true);
    world.at_close = reading_at(NOW).retries;
    return;
  }
  for (int i = 0; i < 2; i++) {
    uint32_t epoch;
    bool closed = atomic_load(&world.closed);
    RG_REQUIRE(!(take(NOW, &epoch) && closed));
  }
}

static void start_closing(void) { start_with(0, 3, NOW); }

static void closed_for_good(void) {
  uint32_t epoch;
  RG_REQUIRE(world.taken <= world.at_close);
  RG_REQUIRE(reading_at(NOW).retries == world.taken);
  RG_REQUIRE(!take(NOW, &epoch));
}

const struct rg_property rg_retry_window_properties[] = {
    RG_PROPERTY("RetryWindow.TakersGetTheLimitAndNeverMore", 3, start_two,
                take_one, two_were_taken),
    RG_PROPERTY("RetryWindow.TurnsDoNotRaiseTheLimit", 3, start_one, take_later,
                one_was_taken),
    RG_PROPERTY("RetryWindow.ARetryThatLeavesTheIntervalFreesOne", 2,
                start_used_up, take_at_turn, one_was_taken_again),
    RG_PROPERTY("RetryWindow.RefundsNeitherMakeNorLoseRetries", 3, start_one,
                take_or_refund, what_was_kept_is_counted),
    RG_PROPERTY("RetryWindow.TakersGetTheirShareOfTheCalls", 3, start_half,
                begin_and_take, half_was_taken),
    RG_PROPERTY("RetryWindow.NoTakeSucceedsOnceItIsClosed", 3, start_closing,
                close_or_take, closed_for_good),
    {.name = NULL},
};
