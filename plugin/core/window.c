/* SPDX-License-Identifier: Apache-2.0 */
#include "core/window.h"

#define AMOUNT_MAX (UINT32_C(1) << 31)

static uint64_t word(uint32_t epoch, uint32_t amount) {
  return (uint64_t)epoch << 32 | amount;
}

static uint32_t epoch_of(uint64_t slot) { return (uint32_t)(slot >> 32); }

static uint32_t amount_of(uint64_t slot) { return (uint32_t)slot; }

static uint64_t epoch_at(const struct rg_window *window, uint64_t now) {
  return now / atomic_load_explicit(&window->slot_ns, memory_order_relaxed);
}

/* An amount a little ahead is another thread's, or time stepped back: then it
 * stands still there. Further ahead it is a leftover from before a large step,
 * and a slot without an amount may never have been used. */
static uint32_t newest_epoch(const uint64_t *slots, uint32_t now_epoch) {
  int32_t newest = 0;
  for (int i = 0; i < RG_WINDOW_SLOTS; i++) {
    int32_t ahead = (int32_t)(epoch_of(slots[i]) - now_epoch);
    if (amount_of(slots[i]) > 0 && ahead > newest && ahead < RG_WINDOW_SLOTS)
      newest = ahead;
  }
  return now_epoch + (uint32_t)newest;
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
 * the slot lost it makes a reader miss it for a moment, never see it twice. */
static void restart(struct rg_window *window, RG_ATOMIC(uint64_t) * slot,
                    uint64_t old, uint32_t epoch) {
  if (atomic_compare_exchange_strong(slot, &old, word(epoch, 0)))
    atomic_fetch_add(&window->retired, amount_of(old));
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
  if (amount >= AMOUNT_MAX || amount_of(seen) >= AMOUNT_MAX - amount) return;
  atomic_fetch_add_explicit(slot, amount, memory_order_relaxed);
}

struct rg_window_reading rg_window_read(const struct rg_window *window,
                                        uint64_t now) {
  /* First `retired`, then the slots: see restart. */
  struct rg_window_reading reading = {
      .total = atomic_load(&window->retired),
  };
  uint64_t slots[RG_WINDOW_SLOTS];
  for (int i = 0; i < RG_WINDOW_SLOTS; i++) {
    slots[i] = atomic_load_explicit(&window->slots[i], memory_order_acquire);
    reading.total += amount_of(slots[i]);
  }
  uint32_t newest = newest_epoch(slots, (uint32_t)epoch_at(window, now));
  for (int i = 0; i < RG_WINDOW_SLOTS; i++)
    if (newest - epoch_of(slots[i]) < RG_WINDOW_SLOTS)
      reading.recent += amount_of(slots[i]);
  return reading;
}
