/* SPDX-License-Identifier: Apache-2.0 */
#include "threads.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#define STACK_BYTES 65536
/* At least what a function keeps of its caller's registers. */
#define SAVED_BYTES 128
/* Of a jmp_buf; behind them is the signal mask, which is not used. */
#define REGISTER_BYTES sizeof(((jmp_buf *)0)[0]->__jmpbuf)
/* More than any property takes: a thread that goes on for ever is found. */
#define STEPS_MAX 2000
#define WORLD_MAX 16384

struct thread {
  ucontext_t context; /* to get onto the stack for the first time */
  jmp_buf top;        /* of its main function */
  jmp_buf here;       /* where it stopped */
  bool booted;
  bool done;
  int steps;
  enum rg_step_kind next;
  const char *stack; /* the end of what it uses of that */
  bool remembered;   /* `memory` is up to date */
  struct rg_state memory;
};

static struct thread threads[RG_VERIFY_THREADS_MAX];
static _Alignas(16) char stacks[RG_VERIFY_THREADS_MAX][STACK_BYTES];
static const struct rg_property *property;
static jmp_buf scheduler;
static int running =
    -1; /* -1: the search itself, whose steps are not counted */
static bool failing;
static int failures;
static bool tracing;
static char broken[256];

/* By offset in the world: bit n, thread n has accessed it in any run; and has
 * written to it. */
struct accesses {
  uint8_t users[WORLD_MAX];
  uint8_t writers[WORLD_MAX];
};
static struct accesses known; /* the same throughout a search */
static struct accesses seen;

bool rg_step_torn;

/* ---- States -------------------------------------------------------------- */

static uint64_t stirred(uint64_t hash, uint64_t value, uint64_t factor) {
  hash = (hash ^ value) * factor;
  return hash ^ hash >> 29;
}

static void stir(struct rg_state *state, uint64_t value) {
  state->a = stirred(state->a, value, UINT64_C(0x9e3779b97f4a7c15));
  state->b = stirred(state->b + 1, value, UINT64_C(0xd6e8feb86659fd93));
}

static void stir_bytes(struct rg_state *state, const char *bytes,
                       size_t count) {
  for (size_t i = 0; i < count; i += sizeof(uint64_t)) {
    uint64_t word = 0;
    memcpy(&word, bytes + i, count - i < sizeof word ? count - i : sizeof word);
    stir(state, word);
  }
}

/* What the next steps of a thread depend on is on its stack and in the
 * registers that setjmp keeps; dead bytes among them only make equal states
 * differ. */
static void remember(struct thread *thread) {
  const char *end = stacks[thread - threads] + STACK_BYTES;
  thread->remembered = true;
  thread->memory = (struct rg_state){0, 0};
  if (thread->done) return;
  stir_bytes(&thread->memory, (const char *)thread->here, REGISTER_BYTES);
  stir_bytes(&thread->memory, thread->stack, (size_t)(end - thread->stack));
}

struct rg_state rg_threads_state(void) {
  struct rg_state state = {1, (uint64_t)failures};
  stir_bytes(&state, property->world, property->world_size);
  for (int i = 0; i < property->threads; i++) {
    if (!threads[i].remembered) remember(&threads[i]);
    stir(&state, threads[i].memory.a);
    stir(&state, threads[i].memory.b);
  }
  return state;
}

/* ---- Threads ------------------------------------------------------------- */

/* Never returns, so that a run may be dropped anywhere: the next one starts at
 * `top` again. */
static void run_for_ever(int id) {
  if (_setjmp(threads[id].top) == 0) _longjmp(scheduler, 1);
  property->thread(id);
  threads[id].done = true;
  _longjmp(scheduler, 1);
}

static void boot(int id) {
  struct thread *thread = &threads[id];
  thread->booted = true;
  getcontext(&thread->context);
  thread->context.uc_stack.ss_sp = stacks[id];
  thread->context.uc_stack.ss_size = STACK_BYTES;
  makecontext(&thread->context, (void (*)(void))run_for_ever, 1, id);
  if (_setjmp(scheduler) == 0) setcontext(&thread->context);
}

static void resume(int id, jmp_buf at) {
  running = id;
  threads[id].remembered = false;
  if (_setjmp(scheduler) == 0) _longjmp(at, 1);
  running = -1;
}

void rg_threads_forget(void) {
  memset(&known, 0, sizeof known);
  memset(&seen, 0, sizeof seen);
}

bool rg_threads_learn(void) {
  if (memcmp(&known, &seen, sizeof known) == 0) return false;
  known = seen;
  return true;
}

void rg_threads_start(const struct rg_property *p) {
  property = p;
  broken[0] = '\0';
  failures = 0;
  memset(p->world, 0, p->world_size);
  p->start();
  for (int i = 0; i < p->threads; i++) {
    if (!threads[i].booted) boot(i);
    threads[i].done = false;
    threads[i].steps = 0;
    resume(i, threads[i].top);
  }
}

bool rg_threads_can_go(int id) { return !threads[id].done; }

/* Once a run: a loop that stands one such failure stands more. */
bool rg_threads_can_fail(int id) {
  return threads[id].next == RG_STEP_WEAK && failures == 0;
}

void rg_threads_go(int id, bool fail) {
  failing = fail;
  failures += fail;
  resume(id, threads[id].here);
}

const char *rg_threads_broken(void) { return broken[0] ? broken : NULL; }

void rg_threads_trace(bool on) { tracing = on; }

void rg_property_broken(const char *file, int line, const char *condition) {
  const char *name = strrchr(file, '/');
  if (broken[0]) return;
  snprintf(broken, sizeof broken, "%s:%d: %s", name ? name + 1 : file, line,
           condition);
}

/* ---- Steps --------------------------------------------------------------- */

/* Whether the step cannot matter to another thread, nor another's to it: a load
 * of what no other writes, or a change of what no other uses. */
static bool is_alone(enum rg_step_kind kind, size_t at) {
  uint8_t mine = (uint8_t)(1u << running);
  const uint8_t *others = kind == RG_STEP_LOAD ? known.writers : known.users;
  return (others[at] & ~mine) == 0;
}

static void note(enum rg_step_kind kind, size_t at) {
  uint8_t mine = (uint8_t)(1u << running);
  seen.users[at] |= mine;
  if (kind != RG_STEP_LOAD) seen.writers[at] |= mine;
}

static void end_thread(const char *why) {
  rg_property_broken(__FILE__, __LINE__, why);
  threads[running].done = true;
  _longjmp(scheduler, 1);
}

/* Stops until the search lets it go on. */
static __attribute__((noinline)) void stop(struct thread *thread) {
  if (_setjmp(thread->here) != 0) return;
  thread->stack = (char *)__builtin_frame_address(0) - SAVED_BYTES;
  _longjmp(scheduler, 1);
}

void rg_step_before(enum rg_step_kind kind, const char *what,
                    const volatile void *where) {
  if (running < 0) return;
  struct thread *thread = &threads[running];
  size_t at = (uintptr_t)where - (uintptr_t)property->world;
  if (at >= property->world_size || at >= WORLD_MAX)
    end_thread("what threads share is in the world");
  if (++thread->steps > STEPS_MAX) end_thread("the thread comes to an end");
  note(kind, at);
  if (is_alone(kind, at)) {
    failing = false;
  } else {
    thread->next = kind;
    stop(thread);
  }
  if (tracing) printf("  thread %d: %s (+%zu)", running, what, at);
}

void rg_step_after(uint64_t value) {
  if (running < 0) return;
  if (tracing) printf(" %" PRIx64 "%s\n", value, failing ? " (fails)" : "");
}

bool rg_step_fails(void) { return running >= 0 && failing; }
