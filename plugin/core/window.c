/* SPDX-License-Identifier: Apache-2.0 */
#include "core/window.h"

#define MARKS RG_WINDOW_MARKS
#define AMOUNT_MAX (UINT32_C(1) << 30)
/* More than all slots can hold. */
#define RECENT_MAX (UINT64_C(1) << 34)

/* A word: amounts (35 bits), and the epoch (28) of the running slot, or in the
 * bit between them that there is none. */
#define EPOCH_BITS 28
#define NONE (UINT32_C(1) << EPOCH_BITS)
#define EPOCH_MASK (NONE - 1)
#define COUNT_SHIFT (EPOCH_BITS + 1)
#define COUNT_MASK (UINT64_MAX << COUNT_SHIFT)

static uint32_t epoch_of(uint64_t word) {
  return (uint32_t)(word & ~COUNT_MASK);
}

static uint64_t at_epoch(uint64_t word, uint32_t epoch) {
  return (word & COUNT_MASK) | epoch;
}

/* Amounts are modulo 2^35. */
static uint64_t added_between(uint64_t from, uint64_t to) {
  return (to - (from & COUNT_MASK)) >> COUNT_SHIFT;
}

static uint64_t added_since(uint64_t base, uint64_t word) {
  return added_between(base << COUNT_SHIFT, word);
}

static uint32_t epoch_at(const struct rg_window *window, uint64_t now) {
  uint64_t slot_ns =
      atomic_load_explicit(&window->slot_ns, memory_order_relaxed);
  return (uint32_t)(now / slot_ns) & EPOCH_MASK;
}

/* How many slots time goes on by from `from` to `to`, all marks at most. By a
 * small step back it does not; a larger one makes `from` a leftover from before
 * it. */
static uint32_t steps(uint32_t from, uint32_t to) {
  uint32_t behind = (from - to) & EPOCH_MASK;
  uint32_t ahead = (to - from) & EPOCH_MASK;
  if (from == NONE) return MARKS;
  if (behind <= RG_WINDOW_SLOTS) return 0;
  return ahead < MARKS ? ahead : MARKS;
}

/* In this order everywhere: the base first, then the word, which is then not
 * behind it. */
static uint64_t load_base(const struct rg_window *window) {
  return atomic_load_explicit(&window->base, memory_order_acquire);
}

static uint64_t load_word(const struct rg_window *window) {
  return atomic_load_explicit(&window->word, memory_order_acquire);
}

/* ---- Marks -------------------------------------------------------------- */

/* Whether `mark` is to become `next`. Of the same epoch the higher one stays:
 * the lower one does not know the last amounts of the slot before. */
static bool replaces(uint64_t next, uint64_t mark) {
  if (epoch_of(next) != epoch_of(mark))
    return steps(epoch_of(mark), epoch_of(next)) > 0;
  uint64_t higher_by = added_between(mark, next);
  return higher_by > 0 && higher_by < RECENT_MAX;
}

/* Sets the marks of the epochs after `word`'s up to `epoch`. A thread that was
 * stopped here and comes back late finds newer marks and leaves them. */
static void set_marks(struct rg_window *window, uint64_t word, uint32_t epoch) {
  for (uint32_t i = steps(epoch_of(word), epoch); i-- > 0;) {
    uint32_t e = (epoch - i) & EPOCH_MASK;
    uint64_t next = at_epoch(word, e);
    RG_ATOMIC(uint64_t) *mark = &window->marks[e % MARKS];
    uint64_t old = atomic_load(mark);
    while (replaces(next, old) &&
           !atomic_compare_exchange_weak(mark, &old, next)) {
    }
  }
}

/* Raises the marks of the epochs after `from` up to `to`: what was just added
 * belongs before them. */
static void raise_marks(struct rg_window *window, uint32_t from, uint32_t to,
                        uint32_t amount) {
  for (uint32_t i = steps(from, to); i-- > 0;) {
    uint32_t e = (to - i) & EPOCH_MASK;
    RG_ATOMIC(uint64_t) *mark = &window->marks[e % MARKS];
    uint64_t old = atomic_load(mark);
    while (epoch_of(old) == e &&
           !atomic_compare_exchange_weak(
               mark, &old, old + ((uint64_t)amount << COUNT_SHIFT))) {
    }
  }
}

/* ---- Turning ------------------------------------------------------------ */

/* Moves `word` to another epoch; false when it is old by now. */
static bool move(struct rg_window *window, uint64_t base, uint64_t word,
                 uint32_t epoch) {
  uint64_t next = at_epoch(word, epoch);
  if (!atomic_compare_exchange_strong(&window->word, &word, next)) return false;
  /* Fails when another thread has brought it further. */
  atomic_compare_exchange_strong(&window->base, &base,
                                 base + added_since(base, word));
  return true;
}

/* Begins the slot of `epoch`, unless it has. The marks come first, so that
 * whoever sees the epoch finds them. */
static void advance(struct rg_window *window, uint32_t epoch) {
  uint64_t base, word;
  do {
    base = load_base(window);
    word = load_word(window);
    if (steps(epoch_of(word), epoch) == 0) return;
    set_marks(window, word, epoch);
  } while (!move(window, base, word, epoch));
}

static void set_span(struct rg_window *window, uint64_t span_ns) {
  uint64_t slot_ns = span_ns / RG_WINDOW_SLOTS;
  atomic_store_explicit(&window->slot_ns, slot_ns > 0 ? slot_ns : 1,
                        memory_order_relaxed);
}

void rg_window_init(struct rg_window *window, uint64_t span_ns) {
  set_span(window, span_ns);
  atomic_store_explicit(&window->base, 0, memory_order_relaxed);
  atomic_store_explicit(&window->word, NONE, memory_order_relaxed);
  for (int i = 0; i < MARKS; i++)
    atomic_store_explicit(&window->marks[i], NONE, memory_order_relaxed);
}

/* The amounts go on from where they are: a thread that is about to set a mark
 * would set one that is too high for amounts that begin again. */
void rg_window_empty(struct rg_window *window, uint64_t span_ns) {
  uint64_t base, word;
  set_span(window, span_ns);
  do {
    base = load_base(window);
    word = load_word(window);
  } while (!move(window, base, word, NONE));
}

/* ---- Adding and reading ------------------------------------------------- */

/* Threads that looked before the others' additions come on top: a count has
 * room for them in each slot. */
static bool is_full(uint64_t base, uint64_t word, uint32_t amount) {
  return added_since(base, word) + amount >= AMOUNT_MAX;
}

static uint64_t add(struct rg_window *window, uint32_t amount) {
  return atomic_fetch_add_explicit(
      &window->word, (uint64_t)amount << COUNT_SHIFT, memory_order_relaxed);
}

bool rg_window_add_to_running(struct rg_window *window, uint32_t amount,
                              uint64_t now) {
  uint64_t base = load_base(window);
  uint64_t word = atomic_load_explicit(&window->word, memory_order_relaxed);
  if (epoch_of(word) != epoch_at(window, now)) return false;
  if (is_full(base, word, amount)) return true;
  add(window, amount);
  return true;
}

/* To a slot that has to begin first, or that is over. */
RG_SELDOM static void add_to_another(struct rg_window *window, uint32_t amount,
                                     uint64_t now) {
  uint32_t epoch = epoch_at(window, now);
  if (amount == 0) return;
  advance(window, epoch);
  uint64_t base = load_base(window);
  if (is_full(base, load_word(window), amount)) return;
  raise_marks(window, epoch, epoch_of(add(window, amount)), amount);
}

void rg_window_add(struct rg_window *window, uint32_t amount, uint64_t now) {
  if (!rg_window_add_to_running(window, amount, now))
    add_to_another(window, amount, now);
}

uint64_t rg_window_total(const struct rg_window *window) {
  uint64_t base = load_base(window);
  return base + added_since(base, load_word(window));
}

/* After a small step back, or behind another thread, time stands still. */
static uint64_t recent_at(const struct rg_window *window, uint64_t word,
                          uint32_t epoch) {
  uint32_t passed = steps(epoch_of(word), epoch);
  if (passed >= RG_WINDOW_SLOTS) return 0;
  uint32_t oldest =
      (epoch_of(word) + passed - (RG_WINDOW_SLOTS - 1)) & EPOCH_MASK;
  uint64_t mark = atomic_load(&window->marks[oldest % MARKS]);
  if (epoch_of(mark) != oldest) return 0;
  uint64_t recent = added_between(mark, word);
  /* Below 0 when the mark was just raised for what came late. */
  return recent < RECENT_MAX ? recent : 0;
}

struct rg_window_reading rg_window_read(const struct rg_window *window,
                                        uint64_t now) {
  uint64_t base = load_base(window);
  uint64_t word = load_word(window);
  return (struct rg_window_reading){
      .recent = recent_at(window, word, epoch_at(window, now)),
      .total = base + added_since(base, word),
  };
}
