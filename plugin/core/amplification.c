/* SPDX-License-Identifier: Apache-2.0 */
#include "core/amplification.h"

#include "core/num.h"

/* From 1, so that every second is later than none. */
static uint64_t second_of(uint64_t now) { return now / RG_NS_PER_S + 1; }

void rg_amplification_init(struct rg_amplification *a, uint64_t now) {
  atomic_init(&a->busy, false);
  atomic_init(&a->newest_second, 0);
  atomic_init(&a->alarmed, false);
  a->above_since = 0;
  a->count = 1;
  a->looks[0] = (struct rg_amplification_look){.second = second_of(now)};
}

void rg_amplification_after_fork(struct rg_amplification *a) {
  atomic_store_explicit(&a->busy, false, memory_order_relaxed);
}

bool rg_amplification_alarmed(const struct rg_amplification *amplification) {
  return atomic_load_explicit(&amplification->alarmed, memory_order_relaxed);
}

static bool enter(struct rg_amplification *a) {
  return !atomic_exchange_explicit(&a->busy, true, memory_order_acquire);
}

static void leave(struct rg_amplification *a) {
  atomic_store_explicit(&a->busy, false, memory_order_release);
}

static uint32_t kept(const struct rg_amplification *a) {
  return a->count < RG_AMPLIFICATION_LOOKS ? a->count : RG_AMPLIFICATION_LOOKS;
}

/* The look that was taken `age` looks ago, 0 being the newest. */
static const struct rg_amplification_look *look(
    const struct rg_amplification *a, uint32_t age) {
  return &a->looks[(a->count - 1 - age) % RG_AMPLIFICATION_LOOKS];
}

/* How the counters stood at the window's begin. */
static struct rg_amplification_look base(const struct rg_amplification *a,
                                         uint64_t second,
                                         struct rg_amplification_look newest) {
  uint64_t begin = rg_num_sub(second, RG_AMPLIFICATION_WINDOW_S);
  struct rg_amplification_look after = newest;
  for (uint32_t age = 0; age < kept(a); age++) {
    const struct rg_amplification_look *before = look(a, age);
    if (before->second > begin) {
      after = *before;
      continue;
    }
    uint64_t gap = rg_num_sub(after.second, before->second);
    uint64_t part = gap == 0
                        ? 0
                        : rg_num_mul_div(rg_num_sub(after.calls, before->calls),
                                         begin - before->second, gap);
    return (struct rg_amplification_look){begin, before->calls + part,
                                          before->retries};
  }
  /* All is younger than the window. */
  return (struct rg_amplification_look){0};
}

static uint32_t figure(const struct rg_amplification *a,
                       struct rg_amplification_look now) {
  struct rg_amplification_look then = base(a, now.second, now);
  uint64_t calls = rg_num_sub(now.calls, then.calls);
  uint64_t retries = rg_num_sub(now.retries, then.retries);
  if (retries == 0) return 0;
  uint64_t milli = rg_num_mul_div(retries, 1000, calls > 0 ? calls : 1);
  return milli < UINT32_MAX ? (uint32_t)milli : UINT32_MAX;
}

bool rg_amplification_is_calm(uint32_t milli, uint32_t alarm_milli) {
  return (uint64_t)milli * 5 <= (uint64_t)alarm_milli * 4;
}

static enum rg_alarm_change judge(struct rg_amplification *a, uint32_t milli,
                                  uint32_t alarm_milli, uint64_t second) {
  bool alarmed = rg_amplification_alarmed(a);
  bool above = alarm_milli > 0 && milli > alarm_milli;
  if (!above) a->above_since = 0;
  if (above && a->above_since == 0) a->above_since = second;
  if (!alarmed && above &&
      second - a->above_since >= RG_AMPLIFICATION_PATIENCE_S) {
    atomic_store_explicit(&a->alarmed, true, memory_order_relaxed);
    return RG_ALARM_BEGAN;
  }
  if (alarmed && rg_amplification_is_calm(milli, alarm_milli)) {
    atomic_store_explicit(&a->alarmed, false, memory_order_relaxed);
    return RG_ALARM_ENDED;
  }
  return RG_ALARM_UNCHANGED;
}

static enum rg_alarm_change take(struct rg_amplification *a,
                                 struct rg_amplification_look now,
                                 uint32_t alarm_milli) {
  uint32_t milli = figure(a, now);
  a->looks[a->count++ % RG_AMPLIFICATION_LOOKS] = now;
  /* Only what is kept is counted, once it wraps. */
  if (a->count == 2 * RG_AMPLIFICATION_LOOKS) a->count = RG_AMPLIFICATION_LOOKS;
  return judge(a, milli, alarm_milli, now.second);
}

bool rg_amplification_is_due(const struct rg_amplification *a, uint64_t now) {
  return second_of(now) >
         atomic_load_explicit(&a->newest_second, memory_order_relaxed);
}

enum rg_alarm_change rg_amplification_note(struct rg_amplification *a,
                                           uint64_t calls, uint64_t retries,
                                           uint32_t alarm_milli, uint64_t now) {
  const struct rg_amplification_look look = {second_of(now), calls, retries};
  if (!rg_amplification_is_due(a, now) || !enter(a)) return RG_ALARM_UNCHANGED;
  enum rg_alarm_change change = RG_ALARM_UNCHANGED;
  if (rg_amplification_is_due(a, now)) {
    change = take(a, look, alarm_milli);
    atomic_store_explicit(&a->newest_second, look.second, memory_order_relaxed);
  }
  leave(a);
  return change;
}

bool rg_amplification_read(struct rg_amplification *a, uint64_t calls,
                           uint64_t retries, uint64_t now, uint32_t *milli) {
  if (!enter(a)) return false;
  *milli =
      figure(a, (struct rg_amplification_look){second_of(now), calls, retries});
  leave(a);
  return true;
}
