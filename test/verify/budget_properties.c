/* SPDX-License-Identifier: Apache-2.0 */
#include "core/budget.h"
#include "property.h"

/* Bursts and intervals of ten slots of 1 ns each. */
#define SPAN RG_WINDOW_SLOTS
#define NOW 1000
#define RETRY 1000

static struct {
  struct rg_budget budget;
  uint64_t taken, kept;
} world;

static const struct rg_budget_policy bucket_of_two = {
    .kind = RG_BUDGET_TOKEN_BUCKET,
    .bucket = {.ratio_milli = 500, .burst_ns = SPAN, .initial_milli = 2000},
};
static const struct rg_budget_policy window_of_two = {
    .kind = RG_BUDGET_WINDOW,
    .window = {.interval_ns = SPAN, .min_retries_milli = 2 * RETRY},
};

static bool take(struct rg_token *token) {
  bool taken = rg_budget_take(&world.budget, NOW, token);
  world.taken += taken;
  world.kept += taken;
  return taken;
}

static void refund(struct rg_token token) {
  world.kept--;
  rg_budget_refund(&world.budget, token);
}

static void update(const struct rg_budget_policy *policy) {
  rg_budget_update(&world.budget, policy, NOW);
}

static void start_bucket(void) {
  rg_budget_init(&world.budget, &bucket_of_two, NOW);
}

static void start_window(void) {
  rg_budget_init(&world.budget, &window_of_two, NOW);
}

static void take_each(int id) {
  struct rg_token token;
  for (int i = 0; i < 1 + (id == 1); i++) take(&token);
}

/* Takes what is left; two there were. */
static void two_in_all(void) {
  struct rg_token token;
  while (take(&token)) {
  }
  RG_REQUIRE(world.kept <= 2);
}

/* ---- Takes around an update ---- */

static void take_or_renew_bucket(int id) {
  id == 0 ? update(&bucket_of_two) : take_each(id);
}

static void take_or_renew_window(int id) {
  id == 0 ? update(&window_of_two) : take_each(id);
}

/* ---- Takes while the kind changes, twice ---- */

static void take_or_change_kind(int id) {
  if (id > 0) {
    take_each(id);
    return;
  }
  update(&window_of_two);
  update(&bucket_of_two);
}

/* ---- Refunds around an update ---- */

static void take_and_refund(int id) {
  struct rg_token token;
  if (take(&token) && id == 1) refund(token);
}

static void refund_or_renew_bucket(int id) {
  id == 0 ? update(&bucket_of_two) : take_and_refund(id);
}

static void refund_or_renew_window(int id) {
  id == 0 ? update(&window_of_two) : take_and_refund(id);
}

/* ---- Earnings around an update ---- */

static void start_spent(void) {
  struct rg_token token;
  start_bucket();
  rg_budget_call_succeeded(&world.budget, NOW - 1);
  take(&token);
  take(&token);
  world.kept = 0;
}

static void earn_or_renew_bucket(int id) {
  struct rg_token token;
  if (id == 0) {
    update(&bucket_of_two);
    return;
  }
  rg_budget_call_succeeded(&world.budget, NOW);
  take(&token);
}

static void one_was_earned(void) {
  struct rg_token token;
  while (take(&token)) {
  }
  RG_REQUIRE(world.kept <= 1);
}

const struct rg_property rg_budget_properties[] = {
    RG_PROPERTY("Budget.AnUpdateGivesNoTokensAway", 3, start_bucket,
                take_or_renew_bucket, two_in_all),
    RG_SLOW_PROPERTY("Budget.AnUpdateGivesNoRetriesOfAWindowAway", 3,
                     start_window, take_or_renew_window, two_in_all),
    RG_SLOW_PROPERTY("Budget.ChangesOfKindGiveNothingAway", 2, start_bucket,
                     take_or_change_kind, two_in_all),
    RG_PROPERTY("Budget.ARefundAroundAnUpdateGivesNoTokensAway", 3,
                start_bucket, refund_or_renew_bucket, two_in_all),
    RG_PROPERTY("Budget.ARefundAroundAnUpdateGivesNoRetriesAway", 3,
                start_window, refund_or_renew_window, two_in_all),
    RG_SLOW_PROPERTY("Budget.EarningsAroundAnUpdateCountOnceAtMost", 3,
                     start_spent, earn_or_renew_bucket, one_was_earned),
    {.name = NULL},
};
