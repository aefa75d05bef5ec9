/* SPDX-License-Identifier: Apache-2.0 */

/* Takes the place of the compiler's <stdatomic.h> for the core under check:
 * before each atomic operation the thread stops, and the search decides who
 * goes on. Then the operation takes place as a whole, and what it saw becomes
 * part of the thread's history.
 *
 * Orders are ignored: all is sequentially consistent. What is missing here the
 * core does not use; it fails to compile when it does. */
#ifndef RG_VERIFY_STDATOMIC_H
#define RG_VERIFY_STDATOMIC_H

#include <stdbool.h>
#include <stdint.h>

enum memory_order {
  memory_order_relaxed,
  memory_order_acquire,
  memory_order_release,
  memory_order_acq_rel,
  memory_order_seq_cst
};

enum rg_step_kind {
  RG_STEP_LOAD,
  RG_STEP_STORE,
  RG_STEP_CHANGE,
  RG_STEP_WEAK, /* a compare-and-swap that may fail for no reason */
};

/* Stops before the operation `what` at `where`. */
void rg_step_before(enum rg_step_kind kind, const char *what,
                    const volatile void *where);

/* What the operation saw or, of a store, stored. */
void rg_step_after(uint64_t value);

/* Whether the weak compare-and-swap that goes on now is to fail. */
bool rg_step_fails(void);

/* Whether read-modify-writes are to be torn in two: a seeded fault. */
extern bool rg_step_torn;

#define RG_STEP(kind, what, at) rg_step_before(RG_STEP_##kind, what " " #at, at)

#define atomic_load_explicit(at, order) \
  __extension__({                       \
    (void)(order);                      \
    RG_STEP(LOAD, "load", at);          \
    __auto_type rg_seen = *(at);        \
    rg_step_after((uint64_t)rg_seen);   \
    rg_seen;                            \
  })

#define atomic_store_explicit(at, value, order) \
  __extension__({                               \
    (void)(order);                              \
    __auto_type rg_new = (value);               \
    RG_STEP(STORE, "store", at);                \
    *(at) = rg_new;                             \
    rg_step_after((uint64_t)rg_new);            \
  })

#define RG_STEP_MODIFY(name, at, expression)             \
  __extension__({                                        \
    __auto_type rg_operand = (expression);               \
    RG_STEP(CHANGE, #name, at);                          \
    __auto_type rg_old = *(at);                          \
    rg_step_after((uint64_t)rg_old);                     \
    if (rg_step_torn) RG_STEP(STORE, "torn " #name, at); \
    *(at) = RG_STEP_##name(rg_old, rg_operand);          \
    rg_old;                                              \
  })

#define RG_STEP_exchange(old, operand) (operand)
#define RG_STEP_add(old, operand) ((old) + (operand))
#define RG_STEP_sub(old, operand) ((old) - (operand))
#define RG_STEP_or(old, operand) ((old) | (operand))
#define RG_STEP_and(old, operand) ((old) & (operand))

#define RG_STEP_EXCHANGE_IF(kind, at, expected, value)                        \
  __extension__({                                                             \
    __auto_type rg_new = (value);                                             \
    RG_STEP(kind, "compare_exchange", at);                                    \
    __auto_type rg_old = *(at);                                               \
    bool rg_done = rg_old == *(expected) && !rg_step_fails();                 \
    rg_step_after((uint64_t)rg_old);                                          \
    if (rg_done && rg_step_torn) RG_STEP(STORE, "torn compare_exchange", at); \
    if (rg_done)                                                              \
      *(at) = rg_new;                                                         \
    else                                                                      \
      *(expected) = rg_old;                                                   \
    rg_done;                                                                  \
  })

#define atomic_exchange_explicit(at, value, order) \
  RG_STEP_MODIFY(exchange, at, ((void)(order), value))
#define atomic_fetch_add_explicit(at, value, order) \
  RG_STEP_MODIFY(add, at, ((void)(order), value))
#define atomic_fetch_sub_explicit(at, value, order) \
  RG_STEP_MODIFY(sub, at, ((void)(order), value))
#define atomic_fetch_or_explicit(at, value, order) \
  RG_STEP_MODIFY(or, at, ((void)(order), value))
#define atomic_fetch_and_explicit(at, value, order) \
  RG_STEP_MODIFY(and, at, ((void)(order), value))
#define atomic_compare_exchange_strong_explicit(at, expected, value, good, \
                                                bad)                       \
  ((void)(good), (void)(bad), RG_STEP_EXCHANGE_IF(CHANGE, at, expected, value))
#define atomic_compare_exchange_weak_explicit(at, expected, value, good, bad) \
  ((void)(good), (void)(bad), RG_STEP_EXCHANGE_IF(WEAK, at, expected, value))

#define atomic_load(at) atomic_load_explicit(at, memory_order_seq_cst)
#define atomic_store(at, value) \
  atomic_store_explicit(at, value, memory_order_seq_cst)
#define atomic_exchange(at, value) \
  atomic_exchange_explicit(at, value, memory_order_seq_cst)
#define atomic_fetch_add(at, value) \
  atomic_fetch_add_explicit(at, value, memory_order_seq_cst)
#define atomic_fetch_sub(at, value) \
  atomic_fetch_sub_explicit(at, value, memory_order_seq_cst)
#define atomic_fetch_or(at, value) \
  atomic_fetch_or_explicit(at, value, memory_order_seq_cst)
#define atomic_fetch_and(at, value) \
  atomic_fetch_and_explicit(at, value, memory_order_seq_cst)
#define atomic_compare_exchange_strong(at, expected, value) \
  atomic_compare_exchange_strong_explicit(                  \
      at, expected, value, memory_order_seq_cst, memory_order_seq_cst)
#define atomic_compare_exchange_weak(at, expected, value) \
  atomic_compare_exchange_weak_explicit(                  \
      at, expected, value, memory_order_seq_cst, memory_order_seq_cst)
#define atomic_init(at, value) \
  atomic_store_explicit(at, value, memory_order_relaxed)
#define atomic_thread_fence(order) ((void)(order))

#endif
