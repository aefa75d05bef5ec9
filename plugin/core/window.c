/* SPDX-License-Identifier: Apache-2.0 */
#include "core/window.h"

#define AMOUNT_MAX (UINT32_C(1) << 30)
/* The slot was emptied, and what it held is on its way to `retired`. */
#define TURNING (UINT32_C(1) << 31)

static uint64_t word(uint32_t epoch, uint32_t amount) {
  return (uint64_t)epoch << 32 | amount;
}

static uint32_t epoch_of(uint64_t slot) { return (uint32_t)(slot >> 32); }

static uint32_t amount_of(uint64_t slot) { return (uint32_t)slot & ~TURNING; }

static uint64_t epoch_at(const struct rg_window *window, uint64_t now) {
  return now / atomic_load_explicit(&window->slot_ns, memory_order_relaxed);
}

/* How far the newest amount is ahead of `now_epoch`. A little is another
 * thread's, or time stepped back: then it stands still there. Further ahead it
 * is a leftover from before a large step, and a slot without an amount may
 * never have been used. */
static uint32_t ahead_of(const uint64_t *slots, uint32_t now_epoch) {
  uint32_t newest = 0;
  for (int i = 0; i < RG_WINDOW_SLOTS; i++) {
    uint32_t ahead = epoch_of(slots[i]) - now_epoch;
    if (amount_of(slots[i]) > 0 && ahead > newest && ahead < RG_WINDOW_SLOTS)
      newest = ahead;
  }
  return newest;
}

/* What of `slots` lies in the span that ends with `newest`. */
static uint64_t sum_of_span(const uint64_t *slots, uint32_t newest) {
  uint64_t sum = 0;
  for (int i = 0; i < RG_WINDOW_SLOTS; i++)
    if (newest - epoch_of(slots[i]) < RG_WINDOW_SLOTS)
      sum += amount_of(slots[i]);
  return sum;
}

void rg_window_init(struct rg_window *window, uint64_t span_ns) {
  uint64_t slot_ns = span_ns / RG_WINDOW_SLOTS;
  atomic_store_explicit(&window->slot_ns, slot_ns > 0 ? slot_ns : 1,
                        memory_order_relaxed);
  atomic_store_explicit(&window->retired, 0, memory_order_relaxed);
  for (int i = 0; i < RG_WINDOW_SLOTS; i++)
    atomic_store_explicit(&window->slots[i], 0, memory_order_relaxed);
}

/* Whoever wins the exchange also books what the slot held. Booking it after
 * the slot lost it makes a reader miss it for a moment, never see it twice; the
 * bit tells the reader so. */
__attribute__((noinline, cold)) static void restart(struct rg_window *window,
                                                    RG_ATOMIC(uint64_t) * slot,
                                                    uint64_t old,
                                                    uint32_t epoch) {
  if (!atomic_compare_exchange_strong(slot, &old, word(epoch, TURNING))) return;
  atomic_fetch_add(&window->retired, amount_of(old));
  atomic_fetch_and(slot, ~(uint64_t)TURNING);
}

void rg_window_add(struct rg_window *window, uint32_t amount, uint64_t now) {
  uint64_t epoch = epoch_at(window, now);
  RG_ATOMIC(uint64_t) *slot = &window->slots[epoch % RG_WINDOW_SLOTS];
  uint64_t seen = atomic_load_explicit(slot, memory_order_relaxed);
  if (epoch_of(seen) != (uint32_t)epoch) {
    restart(window, slot, seen, (uint32_t)epoch);
    seen = atomic_load_explicit(slot, memory_order_relaxed);
  }
  /* The upper half of the amount's range is left to threads that looked before
   * this addition, so the sum cannot run into the epoch. */
  if ((uint64_t)amount_of(seen) + amount >= AMOUNT_MAX) return;
  atomic_fetch_add_explicit(slot, amount, memory_order_relaxed);
}

/* In both: first `retired`, then the slots; see restart. */
uint64_t rg_window_total(const struct rg_window *window, bool *exact) {
  uint64_t retired = atomic_load(&window->retired);
  uint64_t total = retired;
  uint64_t all_bits = 0;
  for (int i = 0; i < RG_WINDOW_SLOTS; i++) {
    uint64_t slot =
        atomic_load_explicit(&window->slots[i], memory_order_acquire);
    total += amount_of(slot);
    all_bits |= slot;
  }
  *exact =
      (all_bits & TURNING) == 0 && atomic_load(&window->retired) == retired;
  return total;
}

struct rg_window_reading rg_window_read(const struct rg_window *window,
                                        uint64_t now) {
  uint64_t retired = atomic_load(&window->retired);
  uint32_t now_epoch = (uint32_t)epoch_at(window, now);
  uint64_t slots[RG_WINDOW_SLOTS];
  uint64_t all = 0;
  for (int i = 0; i < RG_WINDOW_SLOTS; i++) {
    slots[i] = atomic_load_explicit(&window->slots[i], memory_order_acquire);
    all += amount_of(slots[i]);
  }
  struct rg_window_reading reading = {
      .recent = sum_of_span(slots, now_epoch),
      .total = retired + all,
  };
  /* Under steady traffic that is all there is; no slot can be ahead. */
  if (reading.recent < all)
    reading.recent = sum_of_span(slots, now_epoch + ahead_of(slots, now_epoch));
  return reading;
}
