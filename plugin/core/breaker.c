/* SPDX-License-Identifier: Apache-2.0 */
#include "core/breaker.h"

#include "core/num.h"

/* The state word: state (2 bits), generation (17), end of the cooldown in ms
 * (45, the whole range of a 64-bit nanosecond clock). */
#define UNTIL_BITS 45
#define GENERATION_BITS 17
#define UNTIL_MASK ((UINT64_C(1) << UNTIL_BITS) - 1)
#define GENERATION_MASK ((UINT32_C(1) << GENERATION_BITS) - 1)
/* The clock's last ms: nothing outlasts it. */
#define UNTIL_MAX (UINT64_MAX / RG_NS_PER_MS)
/* How far behind another's a thread's time may be: it sampled it and was then
 * held up. */
#define BEHIND_MS 1000
#define MILLI 1000

static enum rg_breaker_state state_of(uint64_t word) {
  return (enum rg_breaker_state)(word >> (UNTIL_BITS + GENERATION_BITS));
}

static uint32_t generation_of(uint64_t word) {
  return (uint32_t)(word >> UNTIL_BITS) & GENERATION_MASK;
}

static uint64_t until_of(uint64_t word) { return word & UNTIL_MASK; }

static uint64_t word_of(enum rg_breaker_state state, uint32_t generation,
                        uint64_t until) {
  return (uint64_t)state << (UNTIL_BITS + GENERATION_BITS) |
         (uint64_t)(generation & GENERATION_MASK) << UNTIL_BITS | until;
}

/* Parameters and counters are read and written alone, so their order does not
 * matter; what must change together is in the state word. */
static uint32_t load32(const RG_ATOMIC(uint32_t) * value) {
  return atomic_load_explicit(value, memory_order_relaxed);
}

static uint64_t load64(const RG_ATOMIC(uint64_t) * value) {
  return atomic_load_explicit(value, memory_order_relaxed);
}

static void store32(RG_ATOMIC(uint32_t) * to, uint32_t value) {
  atomic_store_explicit(to, value, memory_order_relaxed);
}

static void store64(RG_ATOMIC(uint64_t) * to, uint64_t value) {
  atomic_store_explicit(to, value, memory_order_relaxed);
}

/* Rounded up, so that nothing ends early. */
static uint64_t ms_at(uint64_t ns) {
  uint64_t ms = ns / RG_NS_PER_MS + (ns % RG_NS_PER_MS != 0);
  return ms < UNTIL_MAX ? ms : UNTIL_MAX;
}

bool rg_breaker_next(enum rg_breaker_state state, enum rg_breaker_event event,
                     enum rg_breaker_state *next) {
  if (state == RG_BREAKER_CLOSED && event == RG_BREAKER_TRIPPED)
    *next = RG_BREAKER_OPEN;
  else if (state == RG_BREAKER_OPEN && event == RG_BREAKER_COOLDOWN_OVER)
    *next = RG_BREAKER_HALF_OPEN;
  else if (state == RG_BREAKER_HALF_OPEN && event == RG_BREAKER_PROBE_SUCCEEDED)
    *next = RG_BREAKER_CLOSED;
  else if (state == RG_BREAKER_HALF_OPEN && event == RG_BREAKER_PROBE_FAILED)
    *next = RG_BREAKER_OPEN;
  else
    return false;
  return true;
}

/* Moves on from the state that `word` holds; false when the event does not
 * apply there or another thread was faster. */
static bool move(struct rg_breaker *breaker, uint64_t word,
                 enum rg_breaker_event event, uint64_t until) {
  enum rg_breaker_state next;
  if (!rg_breaker_next(state_of(word), event, &next)) return false;
  return atomic_compare_exchange_strong(
      &breaker->state, &word, word_of(next, generation_of(word) + 1, until));
}

/* Disabled first and enabled last, since nothing is to open by the parameters
 * of a breaker that is off. */
static void set_parameters(struct rg_breaker *b,
                           const struct rg_breaker_policy *policy) {
  if (policy->disabled) atomic_store(&b->disabled, true);
  store32(&b->failure_ratio_milli, policy->failure_ratio_milli);
  store32(&b->min_requests, policy->min_requests);
  store32(&b->consecutive_failures, policy->consecutive_failures);
  store64(&b->window_ns, policy->window_ns);
  store64(&b->cooldown_ns, policy->cooldown_ns);
  store64(&b->max_cooldown_ns, policy->max_cooldown_ns);
  store32(&b->cooldown_jitter_milli, policy->cooldown_jitter_milli);
  store32(&b->probes, policy->probes);
  store64(&b->probe_timeout_ns, policy->probe_timeout_ns);
  atomic_store(&b->disabled, policy->disabled);
}

/* The doubt goes first: that of a failure which the emptying misses stays. */
static void empty_windows(struct rg_breaker *breaker) {
  store32(&breaker->doubted, 0);
  rg_window_empty(&breaker->total, load64(&breaker->window_ns));
  rg_window_empty(&breaker->failures, load64(&breaker->window_ns));
  store32(&breaker->in_a_row, 0);
}

static void note_cause(struct rg_breaker *breaker,
                       const struct rg_breaker_cause *cause) {
  store32(&breaker->cause_kind, (uint32_t)cause->kind);
  atomic_store_explicit(&breaker->cause_failures, cause->failures,
                        memory_order_relaxed);
  atomic_store_explicit(&breaker->cause_total, cause->total,
                        memory_order_relaxed);
}

struct rg_breaker_cause rg_breaker_cause_of(const struct rg_breaker *breaker) {
  return (struct rg_breaker_cause){
      (enum rg_breaker_cause_kind)load32(&breaker->cause_kind),
      load64(&breaker->cause_failures), load64(&breaker->cause_total)};
}

void rg_breaker_init(struct rg_breaker *breaker,
                     const struct rg_breaker_policy *policy) {
  set_parameters(breaker, policy);
  rg_window_init(&breaker->total, policy->window_ns);
  rg_window_init(&breaker->failures, policy->window_ns);
  store32(&breaker->in_a_row, 0);
  store32(&breaker->doubted, 0);
  atomic_store(&breaker->state, word_of(RG_BREAKER_CLOSED, 1, 0));
  store32(&breaker->streak, 0);
  store32(&breaker->emptied_for, 0);
  note_cause(breaker, &(struct rg_breaker_cause){RG_CAUSE_NONE, 0, 0});
  for (int i = 0; i < RG_BREAKER_PROBES_MAX; i++)
    atomic_store(&breaker->places[i], 0);
}

void rg_breaker_reset(struct rg_breaker *breaker) {
  uint64_t word = load64(&breaker->state);
  while (!atomic_compare_exchange_weak(
      &breaker->state, &word,
      word_of(RG_BREAKER_CLOSED, generation_of(word) + 1, 0))) {
  }
  store32(&breaker->streak, 0);
  store32(&breaker->emptied_for, 0);
  empty_windows(breaker);
}

void rg_breaker_update(struct rg_breaker *breaker,
                       const struct rg_breaker_policy *policy) {
  bool other_window = load64(&breaker->window_ns) != policy->window_ns;
  set_parameters(breaker, policy);
  if (other_window) empty_windows(breaker);
}

/* ---- Admission ---------------------------------------------------------- */

/* Whether the end in `word` is past. An end much further ahead than
 * `longest_ns`, the longest wait there can be, is left from before time stepped
 * back: waiting for it would keep the breaker shut for as long as the step was.
 * An end a little further ahead was set by a thread with a newer time. */
static bool is_past(uint64_t word, uint64_t longest_ns, uint64_t now) {
  uint64_t now_ms = now / RG_NS_PER_MS;
  return now_ms >= until_of(word) ||
         until_of(word) - now_ms > longest_ns / RG_NS_PER_MS + 2 + BEHIND_MS;
}

static uint64_t lengthened(const struct rg_breaker *breaker, uint64_t length,
                           uint64_t random) {
  uint64_t jitter =
      rg_num_mul_div(length, load32(&breaker->cooldown_jitter_milli), MILLI);
  return rg_num_add(length, rg_num_uniform(random, 0, jitter));
}

static uint64_t longest_cooldown(const struct rg_breaker *breaker) {
  uint64_t cooldown = load64(&breaker->cooldown_ns);
  uint64_t max = load64(&breaker->max_cooldown_ns);
  return lengthened(breaker, max > cooldown ? max : cooldown, UINT64_MAX);
}

static bool cooldown_over(const struct rg_breaker *breaker, uint64_t word,
                          uint64_t now) {
  return is_past(word, longest_cooldown(breaker), now);
}

/* A place is free when empty, left from an earlier generation, or timed out. */
static bool place_free(const struct rg_breaker *breaker, uint64_t place,
                       uint32_t generation, uint64_t now) {
  return place == 0 || generation_of(place) != generation ||
         is_past(place, load64(&breaker->probe_timeout_ns), now);
}

static bool take_place(struct rg_breaker *breaker, uint32_t generation,
                       uint64_t now, struct rg_permit *permit) {
  uint64_t end = ms_at(rg_num_add(now, load64(&breaker->probe_timeout_ns)));
  uint64_t mine = word_of(RG_BREAKER_HALF_OPEN, generation, end);
  uint32_t probes = load32(&breaker->probes);
  for (uint32_t i = 0; i < probes; i++) {
    uint64_t place = atomic_load(&breaker->places[i]);
    if (place_free(breaker, place, generation, now) &&
        atomic_compare_exchange_strong(&breaker->places[i], &place, mine)) {
      *permit = (struct rg_permit){.held = true,
                                   .place = (uint8_t)(i + 1),
                                   .generation = generation,
                                   .place_word = mine};
      return true;
    }
  }
  return false;
}

/* Before its first probe, not after it: one that ends at once would close the
 * breaker onto the failures that opened it. Each thread that comes before it is
 * done does it, so that none has to wait for another. */
static void empty_for_probes(struct rg_breaker *breaker, uint32_t generation) {
  if (atomic_load(&breaker->emptied_for) == generation + 1) return;
  empty_windows(breaker);
  atomic_store(&breaker->emptied_for, generation + 1);
}

static uint64_t left_of(uint64_t word, uint64_t now) {
  return rg_num_sub(rg_num_mul(until_of(word), RG_NS_PER_MS), now);
}

static struct rg_breaker_admission reject(uint64_t word, bool half_opened,
                                          uint64_t now) {
  return (struct rg_breaker_admission){.half_opened = half_opened,
                                       .left_ns = left_of(word, now)};
}

/* Whether there is nothing to ask: `word` says closed, or nobody asks. */
static bool is_open_to_all(const struct rg_breaker *breaker, uint64_t word,
                           struct rg_permit *permit) {
  bool disabled =
      atomic_load_explicit(&breaker->disabled, memory_order_relaxed);
  permit->held = !disabled;
  permit->place = 0;
  permit->generation = generation_of(word);
  return disabled || state_of(word) == RG_BREAKER_CLOSED;
}

bool rg_breaker_admit_closed(const struct rg_breaker *breaker,
                             struct rg_permit *permit) {
  uint64_t word = atomic_load_explicit(&breaker->state, memory_order_acquire);
  if (is_open_to_all(breaker, word, permit)) return true;
  permit->held = false;
  return false;
}

struct rg_breaker_admission rg_breaker_admit(struct rg_breaker *breaker,
                                             uint64_t now) {
  struct rg_breaker_admission admission = {.admitted = true};
  uint64_t word = atomic_load_explicit(&breaker->state, memory_order_acquire);
  if (is_open_to_all(breaker, word, &admission.permit)) return admission;
  admission.permit = (struct rg_permit){.held = false};
  if (state_of(word) == RG_BREAKER_OPEN) {
    if (!cooldown_over(breaker, word, now)) return reject(word, false, now);
    admission.half_opened = move(breaker, word, RG_BREAKER_COOLDOWN_OVER, 0);
    word = atomic_load(&breaker->state);
    /* Half-opened and decided meanwhile, in this very moment. */
    if (state_of(word) != RG_BREAKER_HALF_OPEN)
      return reject(word, admission.half_opened, now);
  }
  empty_for_probes(breaker, generation_of(word));
  admission.admitted =
      take_place(breaker, generation_of(word), now, &admission.permit);
  return admission;
}

RG_SELDOM static bool not_closed_rejects(const struct rg_breaker *breaker,
                                         uint64_t word, uint64_t now) {
  if (state_of(word) == RG_BREAKER_OPEN)
    return !cooldown_over(breaker, word, now);
  uint32_t probes = load32(&breaker->probes);
  for (uint32_t i = 0; i < probes; i++)
    if (place_free(breaker, load64(&breaker->places[i]), generation_of(word),
                   now))
      return false;
  return true;
}

bool rg_breaker_rejects(const struct rg_breaker *breaker, uint64_t now) {
  if (atomic_load_explicit(&breaker->disabled, memory_order_relaxed))
    return false;
  uint64_t word = atomic_load_explicit(&breaker->state, memory_order_acquire);
  return state_of(word) != RG_BREAKER_CLOSED &&
         not_closed_rejects(breaker, word, now);
}

/* ---- Settlement --------------------------------------------------------- */

/* The cooldown that starts now: doubled for each one since the breaker was
 * last closed, where the policy lets it grow, then lengthened at random. */
static uint64_t cooldown_end(const struct rg_breaker *breaker, uint32_t streak,
                             uint64_t now, uint64_t random) {
  uint64_t length = load64(&breaker->cooldown_ns);
  uint64_t max = load64(&breaker->max_cooldown_ns);
  for (; streak > 0 && length < max; streak--)
    length = rg_num_mul(length, 2) < max ? rg_num_mul(length, 2) : max;
  return ms_at(rg_num_add(now, lengthened(breaker, length, random)));
}

/* A failure is in the window before it raises the doubt, so whoever lowers the
 * doubt after that sees it. */
static void doubt_no_more(struct rg_breaker *breaker, uint64_t now) {
  atomic_exchange(&breaker->doubted, 0);
  if (rg_window_read(&breaker->failures, now).recent > 0)
    store32(&breaker->doubted, 1);
}

static bool is_tripped(struct rg_breaker *breaker, uint64_t now,
                       struct rg_breaker_cause *cause) {
  uint32_t limit = load32(&breaker->consecutive_failures);
  uint32_t in_a_row = load32(&breaker->in_a_row);
  *cause = (struct rg_breaker_cause){RG_CAUSE_CONSECUTIVE, in_a_row, in_a_row};
  if (limit > 0 && in_a_row >= limit) return true;
  uint64_t total = rg_window_read(&breaker->total, now).recent;
  uint64_t failures = rg_window_read(&breaker->failures, now).recent;
  if (failures == 0) doubt_no_more(breaker, now);
  *cause = (struct rg_breaker_cause){RG_CAUSE_RATE, failures, total};
  return total >= load32(&breaker->min_requests) &&
         rg_num_mul(failures, MILLI) >
             rg_num_mul(total, load32(&breaker->failure_ratio_milli));
}

/* The result that was just booked may be one too many. */
RG_SELDOM static enum rg_settlement open_if_tripped(struct rg_breaker *breaker,
                                                    uint64_t word, uint64_t now,
                                                    uint64_t random) {
  struct rg_breaker_cause cause;
  bool opened = is_tripped(breaker, now, &cause) &&
                !atomic_load(&breaker->disabled) &&
                move(breaker, word, RG_BREAKER_TRIPPED,
                     cooldown_end(breaker, 0, now, random));
  if (opened) note_cause(breaker, &cause);
  return opened ? RG_SETTLED_OPENED : RG_SETTLED;
}

RG_SELDOM static enum rg_settlement settle_failure(struct rg_breaker *breaker,
                                                   uint64_t word, uint64_t now,
                                                   uint64_t random) {
  rg_window_add(&breaker->total, 1, now);
  rg_window_add(&breaker->failures, 1, now);
  atomic_fetch_add(&breaker->in_a_row, 1);
  atomic_exchange(&breaker->doubted, 1);
  return open_if_tripped(breaker, word, now, random);
}

static enum rg_settlement look_after_success(struct rg_breaker *breaker,
                                             uint64_t word, uint64_t now,
                                             uint64_t random) {
  if (load32(&breaker->in_a_row) > 0) store32(&breaker->in_a_row, 0);
  /* A success can trip it too: it may be the one that makes enough. */
  if (load32(&breaker->doubted) == 0) return RG_SETTLED;
  return open_if_tripped(breaker, word, now, random);
}

RG_SELDOM static enum rg_settlement settle_success_in_another_slot(
    struct rg_breaker *breaker, uint64_t word, uint64_t now, uint64_t random) {
  rg_window_add(&breaker->total, 1, now);
  return look_after_success(breaker, word, now, random);
}

static enum rg_settlement settle_success(struct rg_breaker *breaker,
                                         uint64_t word, uint64_t now,
                                         uint64_t random) {
  return rg_window_add_to_running(&breaker->total, 1, now)
             ? look_after_success(breaker, word, now, random)
             : settle_success_in_another_slot(breaker, word, now, random);
}

static enum rg_settlement settle_probe(struct rg_breaker *breaker,
                                       uint64_t word, enum rg_result result,
                                       uint64_t now, uint64_t random) {
  if (result == RG_RESULT_SUCCESS) {
    if (!move(breaker, word, RG_BREAKER_PROBE_SUCCEEDED, 0))
      return RG_SETTLED_STALE;
    store32(&breaker->streak, 0);
    return RG_SETTLED_CLOSED;
  }
  uint32_t streak = load32(&breaker->streak);
  if (streak < UINT32_MAX) streak++;
  if (!move(breaker, word, RG_BREAKER_PROBE_FAILED,
            cooldown_end(breaker, streak, now, random)))
    return RG_SETTLED_STALE;
  store32(&breaker->streak, streak);
  note_cause(breaker, &(struct rg_breaker_cause){RG_CAUSE_PROBE, 1, 1});
  return RG_SETTLED_OPENED;
}

/* False when the place was given to another probe meanwhile. */
static bool leave_place(struct rg_breaker *breaker,
                        const struct rg_permit *permit) {
  uint64_t mine = permit->place_word;
  return atomic_compare_exchange_strong(&breaker->places[permit->place - 1],
                                        &mine, 0);
}

/* The state first, the place after it: a place that were free while the breaker
 * is still half-open would admit one probe too many. */
RG_SELDOM static enum rg_settlement settle_place(
    struct rg_breaker *breaker, const struct rg_permit *permit, uint64_t word,
    enum rg_result result, uint64_t now, uint64_t random) {
  enum rg_settlement settlement = RG_SETTLED_STALE;
  if (atomic_load(&breaker->places[permit->place - 1]) == permit->place_word)
    settlement = settle_probe(breaker, word, result, now, random);
  leave_place(breaker, permit);
  return settlement;
}

enum rg_settlement rg_breaker_settle(struct rg_breaker *breaker,
                                     struct rg_permit *permit,
                                     enum rg_result result, uint64_t now,
                                     uint64_t random) {
  if (!permit->held) return RG_SETTLED;
  permit->held = false;
  uint64_t word = atomic_load_explicit(&breaker->state, memory_order_acquire);
  bool is_probe = permit->place > 0;
  if (result == RG_RESULT_NEUTRAL) {
    if (is_probe) leave_place(breaker, permit);
    return RG_SETTLED;
  }
  if (permit->generation != generation_of(word)) return RG_SETTLED_STALE;
  if (is_probe) return settle_place(breaker, permit, word, result, now, random);
  if (atomic_load(&breaker->disabled)) return RG_SETTLED;
  return result == RG_RESULT_FAILURE
             ? settle_failure(breaker, word, now, random)
             : settle_success(breaker, word, now, random);
}

enum rg_breaker_state rg_breaker_state_of(const struct rg_breaker *breaker) {
  return state_of(atomic_load(&breaker->state));
}

struct rg_breaker_look rg_breaker_look_at(const struct rg_breaker *breaker,
                                          uint64_t now) {
  uint64_t word = atomic_load(&breaker->state);
  enum rg_breaker_state state = state_of(word);
  if (atomic_load_explicit(&breaker->disabled, memory_order_relaxed))
    return (struct rg_breaker_look){RG_BREAKER_CLOSED, 0};
  if (state != RG_BREAKER_OPEN) return (struct rg_breaker_look){state, 0};
  if (cooldown_over(breaker, word, now))
    return (struct rg_breaker_look){RG_BREAKER_HALF_OPEN, 0};
  return (struct rg_breaker_look){state, left_of(word, now)};
}
