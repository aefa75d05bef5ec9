/* SPDX-License-Identifier: Apache-2.0 */
#include "core/breaker.h"
#include "core/num.h"
#include "property.h"

#define NOW (UINT64_C(1000) * RG_NS_PER_S)
#define COOLDOWN (5 * RG_NS_PER_S)
#define LATER (NOW + COOLDOWN) /* the cooldown is over */
#define PROBE_TIMEOUT (3 * RG_NS_PER_S)

static struct {
  struct rg_breaker breaker;
  struct rg_permit permits[RG_VERIFY_THREADS_MAX];
  int admitted, half_opened;
  int opened;   /* from closed */
  int reopened; /* from half-open */
  int closed, stale;
  enum rg_breaker_state begin; /* the state that the threads found */
} world;

static struct rg_breaker_policy policy_of(uint32_t min_requests,
                                          uint32_t probes) {
  return (struct rg_breaker_policy){.failure_ratio_milli = 500,
                                    .min_requests = min_requests,
                                    .window_ns = 10 * RG_NS_PER_S,
                                    .cooldown_ns = COOLDOWN,
                                    .probes = probes,
                                    .probe_timeout_ns = PROBE_TIMEOUT};
}

static bool admit(struct rg_permit *permit, uint64_t now) {
  struct rg_breaker_admission admission = rg_breaker_admit(&world.breaker, now);
  *permit = admission.permit;
  world.admitted += admission.admitted;
  world.half_opened += admission.half_opened;
  return admission.admitted;
}

static enum rg_settlement settle(struct rg_permit *permit,
                                 enum rg_result result, uint64_t now) {
  bool is_probe = permit->place > 0;
  enum rg_settlement settlement =
      rg_breaker_settle(&world.breaker, permit, result, now, 0);
  world.opened += settlement == RG_SETTLED_OPENED && !is_probe;
  world.reopened += settlement == RG_SETTLED_OPENED && is_probe;
  world.closed += settlement == RG_SETTLED_CLOSED;
  world.stale += settlement == RG_SETTLED_STALE;
  return settlement;
}

static enum rg_breaker_state state(void) {
  return rg_breaker_state_of(&world.breaker);
}

/* What happens from here on is counted. */
static void begin(void) {
  world.admitted = world.half_opened = world.stale = 0;
  world.opened = world.reopened = world.closed = 0;
  world.begin = state();
}

static void attempt(enum rg_result result, uint64_t now) {
  struct rg_permit permit;
  admit(&permit, now);
  settle(&permit, result, now);
}

/* One failure was there before: turning slots is the window's own matter. */
static void start_closed(uint32_t min_requests, int permits) {
  struct rg_breaker_policy policy = policy_of(min_requests, 1);
  rg_breaker_init(&world.breaker, &policy);
  attempt(RG_RESULT_FAILURE, NOW);
  for (int i = 0; i < permits; i++) admit(&world.permits[i], NOW);
  begin();
}

/* Opens a breaker by failures. */
static void start_open(uint32_t failures, uint32_t probes) {
  struct rg_breaker_policy policy = policy_of(failures, probes);
  rg_breaker_init(&world.breaker, &policy);
  for (uint32_t i = 0; i < failures; i++) attempt(RG_RESULT_FAILURE, NOW);
  begin();
}

/* As many transitions were reported as lead from the first state to the last:
 * each of them once. */
static void transitions_add_up(void) {
  enum rg_breaker_state end = state();
  int closed = world.closed - world.opened;
  int open = world.opened + world.reopened - world.half_opened;
  int half_open = world.half_opened - world.closed - world.reopened;
  RG_REQUIRE(closed ==
             (end == RG_BREAKER_CLOSED) - (world.begin == RG_BREAKER_CLOSED));
  RG_REQUIRE(open ==
             (end == RG_BREAKER_OPEN) - (world.begin == RG_BREAKER_OPEN));
  RG_REQUIRE(half_open == (end == RG_BREAKER_HALF_OPEN) -
                              (world.begin == RG_BREAKER_HALF_OPEN));
}

/* ---- Results at the same time ---- */

static void settle_failure(int id) {
  settle(&world.permits[id], RG_RESULT_FAILURE, NOW);
}

static void start_three_of_three(void) { start_closed(4, 3); }

static void tripped_once(void) {
  RG_REQUIRE(world.opened == 1);
  RG_REQUIRE(state() == RG_BREAKER_OPEN);
  transitions_add_up();
}

static void start_three_of_four(void) { start_closed(5, 3); }

static void the_next_one_trips_it(void) {
  struct rg_permit permit;
  RG_REQUIRE(world.opened == 0);
  RG_REQUIRE(admit(&permit, NOW));
  RG_REQUIRE(settle(&permit, RG_RESULT_FAILURE, NOW) == RG_SETTLED_OPENED);
}

/* ---- A success that makes enough ---- */

static void settle_success_or_failures(int id) {
  settle(&world.permits[id], id == 0 ? RG_RESULT_SUCCESS : RG_RESULT_FAILURE,
         NOW);
}

/* There was a failure, but longer than a window ago. */
static void start_doubted(void) {
  struct rg_breaker_policy policy = policy_of(4, 1);
  rg_breaker_init(&world.breaker, &policy);
  attempt(RG_RESULT_FAILURE, NOW - 20 * RG_NS_PER_S);
  for (int i = 0; i < 2; i++) admit(&world.permits[i], NOW);
  begin();
}

static void a_success_trips_it(void) {
  struct rg_breaker_policy policy = policy_of(3, 1);
  struct rg_permit permit;
  policy.failure_ratio_milli = 300;
  rg_breaker_update(&world.breaker, &policy);
  RG_REQUIRE(world.opened == 0);
  admit(&permit, NOW);
  RG_REQUIRE(settle(&permit, RG_RESULT_SUCCESS, NOW) == RG_SETTLED_OPENED);
}

/* ---- Half-opening ---- */

static void start_two_probes(void) { start_open(2, 2); }

static void ask(int id) { admit(&world.permits[id], LATER); }

static void two_probe(void) {
  RG_REQUIRE(world.half_opened == 1);
  RG_REQUIRE(world.admitted == 2);
  transitions_add_up();
}

/* ---- Probes that end in all ways ---- */

static void ask_and_settle(int id, enum rg_result result) {
  if (admit(&world.permits[id], LATER))
    settle(&world.permits[id], result, LATER);
}

static void succeed_or_fail(int id) {
  ask_and_settle(id, id == 0 ? RG_RESULT_SUCCESS : RG_RESULT_FAILURE);
}

static void fail_or_nothing(int id) {
  ask_and_settle(id, id == 0 ? RG_RESULT_FAILURE : RG_RESULT_NEUTRAL);
}

/* Whatever is left: later somebody gets through. */
static void somebody_gets_through(void) {
  struct rg_permit permit;
  transitions_add_up();
  RG_REQUIRE(admit(&permit, LATER + COOLDOWN + PROBE_TIMEOUT));
}

/* ---- A probe that never ends ---- */

static void start_one_probe(void) { start_open(2, 1); }

static void ask_and_forget(int id) { admit(&world.permits[id], LATER); }

static void one_probe_then_another(void) {
  struct rg_permit permit;
  RG_REQUIRE(world.admitted == 1);
  RG_REQUIRE(!admit(&permit, LATER + PROBE_TIMEOUT - RG_NS_PER_MS));
  RG_REQUIRE(admit(&permit, LATER + PROBE_TIMEOUT));
}

/* ---- A probe that ends late ---- */

static void start_late(void) {
  start_open(2, 1);
  admit(&world.permits[0], LATER);
  begin();
}

static void settle_late_neutral(int id) {
  uint64_t now = LATER + PROBE_TIMEOUT;
  if (id == 0)
    settle(&world.permits[0], RG_RESULT_NEUTRAL, now);
  else
    admit(&world.permits[id], now);
}

/* The next probe succeeds. */
static void fail_late(int id) {
  uint64_t now = LATER + PROBE_TIMEOUT;
  if (id == 0)
    settle(&world.permits[0], RG_RESULT_FAILURE, now);
  else if (admit(&world.permits[id], now))
    settle(&world.permits[id], RG_RESULT_SUCCESS, now);
}

static void one_other_probe(void) {
  struct rg_permit permit;
  bool is_free = world.admitted == 0;
  RG_REQUIRE(world.admitted <= 1);
  RG_REQUIRE(state() == RG_BREAKER_HALF_OPEN);
  RG_REQUIRE(admit(&permit, LATER + PROBE_TIMEOUT) == is_free);
}

static void one_of_them_counted(void) {
  RG_REQUIRE(world.reopened + world.closed == 1);
  transitions_add_up();
}

/* ---- Stale results ---- */

/* Two attempts from before it opened, and the probe. */
static void start_stale(void) {
  struct rg_breaker_policy policy = policy_of(2, 1);
  rg_breaker_init(&world.breaker, &policy);
  for (int i = 0; i < 2; i++) admit(&world.permits[i], NOW);
  for (int i = 0; i < 2; i++) attempt(RG_RESULT_FAILURE, NOW);
  admit(&world.permits[2], LATER);
  begin();
}

static void settle_stale(int id) {
  settle(&world.permits[id], id == 2 ? RG_RESULT_SUCCESS : RG_RESULT_FAILURE,
         LATER);
}

static void only_the_probe_counted(void) {
  struct rg_permit permit;
  RG_REQUIRE(world.closed == 1);
  RG_REQUIRE(world.stale == 2);
  RG_REQUIRE(state() == RG_BREAKER_CLOSED);
  admit(&permit, LATER);
  RG_REQUIRE(settle(&permit, RG_RESULT_FAILURE, LATER) == RG_SETTLED);
}

/* ---- After a probe's success ---- */

static void start_open_by_three(void) { start_open(3, 1); }

/* The probe succeeds; two failures after it are not enough to open again. */
static void probe_then_fail(int id) {
  for (int i = 0; i < 1 + id; i++) {
    if (!admit(&world.permits[id], LATER)) continue;
    bool is_probe = world.permits[id].place > 0;
    settle(&world.permits[id], is_probe ? RG_RESULT_SUCCESS : RG_RESULT_FAILURE,
           LATER);
  }
}

static void old_failures_are_forgotten(void) {
  RG_REQUIRE(world.opened + world.reopened == 0);
  transitions_add_up();
}

const struct rg_property rg_breaker_properties[] = {
    RG_SLOW_PROPERTY("Breaker.FailuresAtTheSameTimeTripItOnce", 3,
                     start_three_of_three, settle_failure, tripped_once),
    RG_PROPERTY("Breaker.AResultCountsOnce", 3, start_three_of_four,
                settle_failure, the_next_one_trips_it),
    RG_SLOW_PROPERTY("Breaker.ASuccessThatMakesEnoughTripsIt", 3,
                     start_three_of_three, settle_success_or_failures,
                     tripped_once),
    RG_PROPERTY("Breaker.AFailureIsNotForgottenOverASuccess", 2, start_doubted,
                settle_success_or_failures, a_success_trips_it),
    RG_SLOW_PROPERTY("Breaker.OneHalfOpensItAndProbesAreFew", 3,
                     start_two_probes, ask, two_probe),
    RG_PROPERTY("Breaker.ProbesThatDisagreeLeaveItWhole", 2, start_two_probes,
                succeed_or_fail, somebody_gets_through),
    RG_PROPERTY("Breaker.ItNeverSticksHalfOpen", 2, start_one_probe,
                fail_or_nothing, somebody_gets_through),
    RG_PROPERTY("Breaker.AProbeThatNeverEndsFreesItsPlace", 2, start_one_probe,
                ask_and_forget, one_probe_then_another),
    RG_PROPERTY("Breaker.ALateNeutralProbeFreesNoOthersPlace", 3, start_late,
                settle_late_neutral, one_other_probe),
    RG_PROPERTY("Breaker.OfALateProbeAndTheNextOneCounts", 2, start_late,
                fail_late, one_of_them_counted),
    RG_PROPERTY("Breaker.StaleResultsDoNotCount", 3, start_stale, settle_stale,
                only_the_probe_counted),
    RG_SLOW_PROPERTY("Breaker.OldFailuresDoNotOpenItAgain", 2,
                     start_open_by_three, probe_then_fail,
                     old_failures_are_forgotten),
    {.name = NULL},
};
