/* SPDX-License-Identifier: Apache-2.0 */
#include "core/retry_window.h"

#include "core/num.h"

#define MARKS RG_RETRY_WINDOW_MARKS
#define MILLI 1000

#define CLOSED (UINT32_C(1) << 31)

/* More than a count can be. */
#define UNKNOWN UINT32_MAX

/* Counts are modulo 2^31. */
static uint64_t word(uint32_t epoch, uint32_t count) {
  return (uint64_t)epoch << 32 | (count & ~CLOSED);
}

static uint32_t epoch_of(uint64_t w) { return (uint32_t)(w >> 32); }

static uint32_t count_of(uint64_t w) { return (uint32_t)w & ~CLOSED; }

static uint64_t closed_bit(uint64_t w) { return w & CLOSED; }

static uint32_t count_between(uint64_t from, uint64_t to) {
  return (count_of(to) - count_of(from)) & ~CLOSED;
}

static uint32_t epoch_at(const struct rg_retry_window *window, uint64_t now) {
  return (uint32_t)(now / atomic_load_explicit(&window->calls.slot_ns,
                                               memory_order_relaxed));
}

/* Whether `epoch` has overtaken `other`. One that lies behind by more than all
 * the marks has too: time made a large step back, and the other is a leftover
 * from before it. */
static bool is_newer(uint32_t epoch, uint32_t other) {
  int32_t ahead = (int32_t)(epoch - other);
  return ahead > 0 || ahead < -MARKS;
}

static RG_ATOMIC(uint64_t) *
    mark_of(struct rg_retry_window *window, uint32_t epoch) {
  return &window->marks[epoch % MARKS];
}

/* The first epoch in (from, to] that still has a mark of its own. */
static uint32_t first_mark(uint32_t from, uint32_t to) {
  return to - from > MARKS ? to - MARKS + 1 : from + 1;
}

/* Whether `mark` is to become `next`. One of the same epoch was set by another
 * thread, or by this one before a refund lowered the count: the lower one
 * stays, since a mark that is too low only makes the window look fuller. */
static bool replaces(uint64_t next, uint64_t mark) {
  if (epoch_of(next) != epoch_of(mark))
    return is_newer(epoch_of(next), epoch_of(mark));
  uint32_t lower_by = count_between(next, mark);
  return lower_by > 0 && lower_by < CLOSED / 2;
}

/* Sets the marks of the epochs after `taken`'s up to `epoch`. A thread that was
 * stopped here and comes back late finds newer marks and leaves them. */
static void set_marks(struct rg_retry_window *window, uint64_t taken,
                      uint32_t epoch) {
  for (uint32_t e = first_mark(epoch_of(taken), epoch); e != epoch + 1; e++) {
    RG_ATOMIC(uint64_t) *mark = mark_of(window, e);
    uint64_t next = word(e, count_of(taken));
    uint64_t old = atomic_load(mark);
    while (replaces(next, old) &&
           !atomic_compare_exchange_weak(mark, &old, next)) {
    }
  }
}

/* Brings `taken` up to `now`; returns it. A small step back in time counts as
 * none; a large step either way leaves a window without retries. */
static uint64_t advance(struct rg_retry_window *window, uint64_t now) {
  uint32_t epoch = epoch_at(window, now);
  uint64_t taken = atomic_load(&window->taken);
  while (is_newer(epoch, epoch_of(taken))) {
    set_marks(window, taken, epoch);
    uint64_t next = word(epoch, count_of(taken)) | closed_bit(taken);
    if (atomic_compare_exchange_weak(&window->taken, &taken, next)) return next;
  }
  return taken;
}

/* Retries taken in the running slot and the RG_WINDOW_SLOTS before it. A mark
 * from further on than `taken` has run over that of the interval's beginning:
 * another thread is on its way to a newer slot and has not moved `taken` yet,
 * or time made a step back; so it did where the mark counts more than there
 * are. What such a mark says is void, and nothing is left. */
static uint32_t retries_in(struct rg_retry_window *window, uint64_t taken) {
  uint64_t mark =
      atomic_load(mark_of(window, epoch_of(taken) - RG_WINDOW_SLOTS));
  if ((int32_t)(epoch_of(mark) - epoch_of(taken)) > 0) return UNKNOWN;
  uint32_t count = count_between(mark, taken);
  return count < CLOSED / 2 ? count : UNKNOWN;
}

/* `now`, or where `taken` stands when time stepped back: calls that left the
 * interval together with their retries must not come back alone. */
static uint64_t not_before(const struct rg_retry_window *window, uint64_t taken,
                           uint64_t now) {
  int32_t ahead = (int32_t)(epoch_of(taken) - epoch_at(window, now));
  if (ahead <= 0) return now;
  uint64_t slot_ns =
      atomic_load_explicit(&window->calls.slot_ns, memory_order_relaxed);
  return rg_num_add(now, rg_num_mul((uint64_t)ahead, slot_ns));
}

static struct rg_retry_window_reading read_at(struct rg_retry_window *window,
                                              uint64_t taken, uint64_t now) {
  now = not_before(window, taken, now);
  struct rg_retry_window_reading reading = {
      .calls = rg_window_read(&window->calls, now).recent,
      .retries = retries_in(window, taken),
  };
  /* percent of a call is percent * 10 thousandths. */
  uint64_t percent =
      atomic_load_explicit(&window->percent, memory_order_relaxed);
  reading.limit_milli = rg_num_add(
      reading.calls * percent * (MILLI / 100),
      atomic_load_explicit(&window->min_retries_milli, memory_order_relaxed));
  reading.left_milli = rg_num_sub(reading.limit_milli, reading.retries * MILLI);
  return reading;
}

void rg_retry_window_init(struct rg_retry_window *window,
                          const struct rg_retry_window_policy *policy,
                          uint32_t calls, uint32_t retries, uint64_t now) {
  atomic_store_explicit(&window->percent, policy->percent,
                        memory_order_relaxed);
  atomic_store_explicit(&window->min_retries_milli, policy->min_retries_milli,
                        memory_order_relaxed);
  rg_window_init(&window->calls, policy->interval_ns);
  rg_window_add(&window->calls, calls, now);
  uint32_t epoch = epoch_at(window, now);
  for (uint32_t i = 0; i < MARKS; i++)
    atomic_store(mark_of(window, epoch - i), word(epoch - i, 0));
  atomic_store(&window->taken, word(epoch, retries));
}

void rg_retry_window_begin(struct rg_retry_window *window, uint64_t now) {
  rg_window_add(&window->calls, 1, now);
}

/* Out of the way of buckets, which most targets have. */
RG_SELDOM bool rg_retry_window_take(struct rg_retry_window *window,
                                    uint64_t now, uint32_t *epoch) {
  uint64_t taken;
  do {
    taken = advance(window, now);
    if (closed_bit(taken)) return false;
    if (read_at(window, taken, now).left_milli < MILLI) return false;
  } while (!atomic_compare_exchange_weak(
      &window->taken, &taken, word(epoch_of(taken), count_of(taken) + 1)));
  *epoch = epoch_of(taken);
  return true;
}

/* Lowers the marks set in (from, to]: they include the retry given back. */
static void lower_marks(struct rg_retry_window *window, uint32_t from,
                        uint32_t to) {
  for (uint32_t e = first_mark(from, to); e != to + 1; e++) {
    RG_ATOMIC(uint64_t) *mark = mark_of(window, e);
    uint64_t old = atomic_load(mark);
    while (epoch_of(old) == e && !atomic_compare_exchange_weak(
                                     mark, &old, word(e, count_of(old) - 1))) {
    }
  }
}

void rg_retry_window_refund(struct rg_retry_window *window, uint32_t epoch) {
  /* Marks before the count: in between the window looks fuller, never
   * emptier. A new slot that began meanwhile has a mark to lower too. */
  uint32_t lowered_to = epoch;
  uint64_t taken = atomic_load(&window->taken);
  do {
    /* Time has passed by all retries, or a large step back made them forgotten:
     * there is none to give back, and a count below the marks would be one of
     * two billion. What is not known just now may be such a case, and counts
     * until it leaves the interval. If `taken` is old by now, the mark may be a
     * newer one. */
    uint32_t retries = retries_in(window, taken);
    if ((retries == 0 || retries == UNKNOWN) &&
        atomic_load(&window->taken) == taken)
      return;
    lower_marks(window, lowered_to, epoch_of(taken));
    lowered_to = epoch_of(taken);
  } while (!atomic_compare_exchange_weak(
      &window->taken, &taken,
      word(epoch_of(taken), count_of(taken) - 1) | closed_bit(taken)));
}

struct rg_retry_window_reading rg_retry_window_read(
    struct rg_retry_window *window, uint64_t now) {
  return read_at(window, advance(window, now), now);
}

void rg_retry_window_close(struct rg_retry_window *window) {
  atomic_fetch_or(&window->taken, CLOSED);
}
