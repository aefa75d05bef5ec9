/* SPDX-License-Identifier: Apache-2.0 */

/* A retry budget that successes earn: a call that ends OK adds tokenRatio of a
 * token, a retry takes a whole one. The bucket holds at most what the last
 * `burst` of OK calls earned, so that credit from a quiet hour cannot fuel a
 * storm.
 *
 * Promise: in every interval, takes <= tokens at its start + earnings in it.
 *
 * Earnings go to a window only (one addition); what is spent or forfeited is
 * one monotone word that a take moves by compare-and-swap. The level is the
 * difference, cut to the capacity when somebody looks. Cutting late is the same
 * as cutting all the time: a bucket that was cut at time u and earned e since
 * holds capacity(u) + e >= capacity(now) wherever a later cut would matter.
 *
 * Amounts are milli-tokens: 1000 pay for one retry.
 *
 * Threads: safe, but for init, which needs the bucket for itself. */
#ifndef RG_CORE_TOKEN_BUCKET_H
#define RG_CORE_TOKEN_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cxx.h"
#include "core/window.h"

RG_C_BEGIN

#define RG_MILLI 1000 /* one whole token */

struct rg_token_bucket_policy {
  uint32_t ratio_milli;   /* earned by a call that ends OK; 1..1000 */
  uint64_t burst_ns;      /* whose earnings bound the bucket; > 0 */
  uint32_t initial_milli; /* in a new bucket */
  uint64_t max_milli;     /* upper bound of the capacity; 0: none */
};

struct rg_token_bucket {
  RG_ATOMIC(uint32_t) ratio_milli;
  RG_ATOMIC(uint32_t) floor_milli; /* of the capacity; not above max_milli */
  RG_ATOMIC(uint64_t) max_milli;
  struct rg_window earned;
  /* Spent and forfeited so far, as a two's complement number in the upper 63
   * bits; it starts negative by the initial tokens. Lowest bit: closed. */
  RG_ATOMIC(uint64_t) spent;
};

/* Makes a bucket with `level_milli` tokens in it that counts as having earned
 * `recent_milli` within the last burst. Its capacity is at least one token, and
 * at least initial_milli. */
void rg_token_bucket_init(struct rg_token_bucket *bucket,
                          const struct rg_token_bucket_policy *policy,
                          uint64_t level_milli, uint64_t recent_milli,
                          uint64_t now);

/* One call ended OK. */
void rg_token_bucket_earn(struct rg_token_bucket *bucket, uint64_t now);

/* Takes one whole token; false and nothing taken when there is none or the
 * bucket is closed. */
bool rg_token_bucket_take(struct rg_token_bucket *bucket, uint64_t now);

/* Puts back a token that was taken and not used. */
void rg_token_bucket_refund(struct rg_token_bucket *bucket);

/* Milli-tokens in the bucket, and how many it could hold. */
uint64_t rg_token_bucket_level(const struct rg_token_bucket *bucket,
                               uint64_t now);
uint64_t rg_token_bucket_capacity(const struct rg_token_bucket *bucket,
                                  uint64_t now);

/* No take succeeds from here on; the level stays what it was. */
void rg_token_bucket_close(struct rg_token_bucket *bucket);

RG_C_END

#endif
