/* SPDX-License-Identifier: Apache-2.0 */
#include "core/token_bucket.h"

#define CLOSED UINT64_C(1)

/* `spent` words carry the amount above the closed bit. */
static uint64_t word_of(int64_t milli) { return (uint64_t)milli << 1; }

static int64_t milli_of(uint64_t word) { return (int64_t)(word & ~CLOSED) / 2; }

static uint32_t floor_of(const struct rg_token_bucket *bucket) {
  return atomic_load_explicit(&bucket->floor_milli, memory_order_relaxed);
}

RG_SELDOM static int64_t capacity_at(const struct rg_token_bucket *bucket,
                                     uint64_t now) {
  uint64_t capacity = rg_window_read(&bucket->earned, now).recent;
  uint64_t max = atomic_load_explicit(&bucket->max_milli, memory_order_relaxed);
  if (capacity < floor_of(bucket)) capacity = floor_of(bucket);
  if (max > 0 && capacity > max) capacity = max;
  return (int64_t)capacity;
}

/* What is left of `earned`, cut to the capacity; what the last burst earned
 * only has to be looked at when there is more than the least capacity. */
static int64_t level_of(const struct rg_token_bucket *bucket, int64_t earned,
                        uint64_t spent, uint64_t now) {
  int64_t level = earned - milli_of(spent);
  if (level <= floor_of(bucket)) return level;
  int64_t capacity = capacity_at(bucket, now);
  return level < capacity ? level : capacity;
}

static uint32_t least_capacity(const struct rg_token_bucket_policy *policy) {
  uint32_t floor =
      policy->initial_milli > RG_MILLI ? policy->initial_milli : RG_MILLI;
  bool is_bounded = policy->max_milli > 0 && policy->max_milli < floor;
  return is_bounded ? (uint32_t)policy->max_milli : floor;
}

void rg_token_bucket_init(struct rg_token_bucket *bucket,
                          const struct rg_token_bucket_policy *policy,
                          uint64_t level_milli, uint64_t recent_milli,
                          uint64_t now) {
  atomic_store_explicit(&bucket->ratio_milli, policy->ratio_milli,
                        memory_order_relaxed);
  atomic_store_explicit(&bucket->floor_milli, least_capacity(policy),
                        memory_order_relaxed);
  atomic_store_explicit(&bucket->max_milli, policy->max_milli,
                        memory_order_relaxed);
  rg_window_init(&bucket->earned, policy->burst_ns);
  if (recent_milli > UINT32_MAX / 4) recent_milli = UINT32_MAX / 4;
  rg_window_add(&bucket->earned, (uint32_t)recent_milli, now);
  atomic_store(&bucket->spent,
               word_of((int64_t)recent_milli - (int64_t)level_milli));
}

void rg_token_bucket_earn(struct rg_token_bucket *bucket, uint64_t now) {
  rg_window_add(
      &bucket->earned,
      atomic_load_explicit(&bucket->ratio_milli, memory_order_relaxed), now);
}

bool rg_token_bucket_take(struct rg_token_bucket *bucket, uint64_t now) {
  uint64_t spent = atomic_load(&bucket->spent);
  for (;;) {
    if (spent & CLOSED) return false;
    int64_t earned = (int64_t)rg_window_total(&bucket->earned);
    int64_t level = level_of(bucket, earned, spent, now);
    if (level < RG_MILLI) return false;
    /* What was above the capacity is forfeited along with the take. */
    int64_t after = earned - level + RG_MILLI;
    if (atomic_compare_exchange_weak(&bucket->spent, &spent, word_of(after)))
      return true;
  }
}

void rg_token_bucket_refund(struct rg_token_bucket *bucket) {
  atomic_fetch_sub(&bucket->spent, word_of(RG_MILLI));
}

uint64_t rg_token_bucket_level(const struct rg_token_bucket *bucket,
                               uint64_t now) {
  int64_t earned = (int64_t)rg_window_total(&bucket->earned);
  int64_t level = level_of(bucket, earned, atomic_load(&bucket->spent), now);
  return level > 0 ? (uint64_t)level : 0;
}

uint64_t rg_token_bucket_capacity(const struct rg_token_bucket *bucket,
                                  uint64_t now) {
  return (uint64_t)capacity_at(bucket, now);
}

void rg_token_bucket_close(struct rg_token_bucket *bucket) {
  atomic_fetch_or(&bucket->spent, CLOSED);
}
