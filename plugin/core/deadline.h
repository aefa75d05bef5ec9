/* SPDX-License-Identifier: Apache-2.0 */

/* Deadlines: what a call, its attempts and its retries may still use.
 *
 * A deadline is a time of the monotonic clock in nanoseconds;
 * RG_DEADLINE_NONE is none, and stays none through everything here.
 *
 * Threads: pure. */
#ifndef RG_CORE_DEADLINE_H
#define RG_CORE_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cxx.h"

RG_C_BEGIN

#define RG_DEADLINE_NONE UINT64_MAX

struct rg_deadline_policy {
  bool disabled;
  bool adaptive;               /* an attempt takes as long as they did so far */
  uint64_t hop_margin_ns;      /* kept back at each hop */
  uint64_t min_attempt_ns;     /* no retry that would have less */
  uint64_t attempt_timeout_ns; /* 0: none */
  uint64_t min_remaining_ns;   /* no call that begins with less */
};

/* The deadline of a call made on behalf of one that has `parent`: its own, but
 * at most the parent's less the margin. */
uint64_t rg_deadline_of_child(const struct rg_deadline_policy *policy,
                              uint64_t parent, uint64_t own);

/* When an attempt that begins now is to be ended: by its own timeout or with
 * the call. */
uint64_t rg_deadline_of_attempt(const struct rg_deadline_policy *policy,
                                uint64_t call, uint64_t now);

/* Whether a call that begins now has enough time left to be worth sending. */
bool rg_deadline_worth_starting(const struct rg_deadline_policy *policy,
                                uint64_t call, uint64_t now);

/* Whether a retry after `delay_ms` fits: enough must then be left for the
 * shortest attempt, or with `adaptive` for one of `typical_ns` (0: not known).
 */
bool rg_deadline_fits(const struct rg_deadline_policy *policy, uint64_t call,
                      uint64_t delay_ms, uint64_t typical_ns, uint64_t now);

/* The smoothed time of an attempt after one more that took `took_ns`: an
 * exponentially weighted mean, an eighth of the weight for the newest (as TCP
 * smooths its round-trip time, RFC 6298). `typical_ns` is 0 for the first. */
uint64_t rg_deadline_smooth(uint64_t typical_ns, uint64_t took_ns);

RG_C_END

#endif
