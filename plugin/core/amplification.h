/* SPDX-License-Identifier: Apache-2.0 */

/* Retry amplification: retries for each call of the last minute, and the alarm
 * when there are too many of them for too long.
 *
 * It costs calls nothing: the counters that there are anyway are looked at once
 * a second while there are retries. Between two looks there was none, so that
 * retries are exact; calls are taken to have come evenly.
 *
 * Threads: safe; nobody waits. A look that another thread is taking already is
 * left to that thread. */
#ifndef RG_CORE_AMPLIFICATION_H
#define RG_CORE_AMPLIFICATION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cxx.h"

RG_C_BEGIN

#define RG_AMPLIFICATION_WINDOW_S 60

/* How long the figure has to stay above the alarm's. */
#define RG_AMPLIFICATION_PATIENCE_S 60

/* More than there are seconds in the window; a power of two. */
#define RG_AMPLIFICATION_LOOKS 64

/* The counters as they stood in one second. */
struct rg_amplification_look {
  uint64_t second;
  uint64_t calls;
  uint64_t retries;
};

enum rg_alarm_change {
  RG_ALARM_UNCHANGED,
  RG_ALARM_BEGAN, /* the figure has been too high for a minute */
  RG_ALARM_ENDED, /* it is well below */
};

struct rg_amplification {
  RG_ATOMIC(bool) busy;
  RG_ATOMIC(uint64_t) newest_second;
  RG_ATOMIC(bool) alarmed;
  /* Of whoever is busy. */
  uint32_t count; /* of looks taken so far */
  uint64_t above_since;
  struct rg_amplification_look looks[RG_AMPLIFICATION_LOOKS];
};

/* The counters stand at 0. */
void rg_amplification_init(struct rg_amplification *amplification,
                           uint64_t now);

/* For the only thread of a forked child: whoever was busy in the parent is not
 * there to be done with it. */
void rg_amplification_after_fork(struct rg_amplification *amplification);

/* Whether the alarm is on; then calls are worth a look, too, for its end. */
bool rg_amplification_alarmed(const struct rg_amplification *amplification);

/* Whether a look now would be a new one. */
bool rg_amplification_is_due(const struct rg_amplification *amplification,
                             uint64_t now);

/* A retry began, or the alarm is on, or somebody wants to know: the counters
 * stand at `calls` and `retries`. `alarm_milli`, in thousandths, is what the
 * figure must not stay above; 0: there is no alarm. The alarm ends at four
 * fifths of it, so that it does not flutter. */
enum rg_alarm_change rg_amplification_note(
    struct rg_amplification *amplification, uint64_t calls, uint64_t retries,
    uint32_t alarm_milli, uint64_t now);

/* Whether a figure is low enough to end an alarm. */
bool rg_amplification_is_calm(uint32_t milli, uint32_t alarm_milli);

/* The figure in thousandths: retries for 1,000 calls of the last minute, 0
 * where there were none. False, with `*milli` left alone, while another thread
 * is busy. */
bool rg_amplification_read(struct rg_amplification *amplification,
                           uint64_t calls, uint64_t retries, uint64_t now,
                           uint32_t *milli);

RG_C_END

#endif
