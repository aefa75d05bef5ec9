/* SPDX-License-Identifier: Apache-2.0 */
#include "core/token_bucket.h"
#include "property.h"

/* A burst of ten slots of 1 ns each. */
#define BURST RG_WINDOW_SLOTS
#define NOW 1000
#define TOKEN RG_MILLI

static struct {
  struct rg_token_bucket bucket;
  uint64_t taken, kept;
  RG_ATOMIC(bool) closed;
} world;

static const struct rg_token_bucket_policy policy = {
    .ratio_milli = 500, .burst_ns = BURST, .initial_milli = 2 * TOKEN};

static void start_with(uint64_t level) {
  rg_token_bucket_init(&world.bucket, &policy, level, TOKEN, NOW - 1);
}

static bool take(void) {
  bool taken = rg_token_bucket_take(&world.bucket, NOW);
  world.taken += taken;
  world.kept += taken;
  return taken;
}

static void refund(void) {
  world.kept--;
  rg_token_bucket_refund(&world.bucket);
}

static uint64_t level(void) {
  return rg_token_bucket_level(&world.bucket, NOW);
}

/* ---- Three takers of two tokens ---- */

static void start_two(void) { start_with(2 * TOKEN); }

static void take_one(int id) {
  (void)id;
  take();
}

static void two_were_taken(void) {
  RG_REQUIRE(world.taken == 2);
  RG_REQUIRE(level() == 0);
}

/* ---- Takers that earn half a token each ---- */

static void start_empty(void) { start_with(0); }

static void earn_and_take(int id) {
  (void)id;
  rg_token_bucket_earn(&world.bucket, NOW);
  take();
}

static void earnings_were_taken_or_are_there(void) {
  RG_REQUIRE(world.taken == 1);
  RG_REQUIRE(level() == TOKEN / 2);
}

/* ---- Refunds among takes and earnings ---- */

static void start_one_and_a_half(void) { start_with(TOKEN + TOKEN / 2); }

/* The one gives back, the next keeps, the last earns. */
static void take_or_refund(int id) {
  if (id == 2) rg_token_bucket_earn(&world.bucket, NOW);
  if (take() && id != 1) refund();
}

static void what_was_kept_is_gone(void) {
  RG_REQUIRE(world.kept <= 1);
  RG_REQUIRE(level() == 2 * TOKEN - world.kept * TOKEN);
}

/* ---- A slot that turns ---- */

/* Two tokens at most, and earnings from a span ago that are to be forfeited. */
static void start_turning(void) {
  rg_token_bucket_init(&world.bucket, &policy, 2 * TOKEN, 0, NOW - BURST);
  for (int i = 0; i < 10; i++) rg_token_bucket_earn(&world.bucket, NOW - BURST);
}

static void turn_or_take(int id) {
  if (id == 0)
    rg_token_bucket_earn(&world.bucket, NOW);
  else
    for (int i = 0; i < 3 - id; i++) take();
}

static void nothing_came_back(void) {
  while (take()) {
  }
  RG_REQUIRE(world.taken == 2);
}

/* ---- Closing ---- */

static void close_or_take(int id) {
  if (id == 0) {
    rg_token_bucket_close(&world.bucket);
    atomic_store(&world.closed, true);
    RG_REQUIRE(level() == 2 * TOKEN - world.taken * TOKEN);
    return;
  }
  for (int i = 0; i < 2; i++) {
    bool closed = atomic_load(&world.closed);
    RG_REQUIRE(!(take() && closed));
  }
}

static void closed_for_good(void) {
  RG_REQUIRE(!take());
  RG_REQUIRE(level() == 2 * TOKEN - world.taken * TOKEN);
}

const struct rg_property rg_token_bucket_properties[] = {
    RG_PROPERTY("TokenBucket.TakersGetAllTokensAndNeverMore", 3, start_two,
                take_one, two_were_taken),
    RG_SLOW_PROPERTY("TokenBucket.TakersGetWhatIsEarnedAndNeverMore", 3,
                     start_empty, earn_and_take,
                     earnings_were_taken_or_are_there),
    RG_PROPERTY("TokenBucket.RefundsNeitherMakeNorLoseTokens", 3,
                start_one_and_a_half, take_or_refund, what_was_kept_is_gone),
    RG_PROPERTY("TokenBucket.ATurningSlotBringsNothingBack", 3, start_turning,
                turn_or_take, nothing_came_back),
    RG_PROPERTY("TokenBucket.NoTakeSucceedsOnceItIsClosed", 3, start_two,
                close_or_take, closed_for_good),
    {.name = NULL},
};
