/* SPDX-License-Identifier: Apache-2.0 */

/* Which layer of a call tree retries. With each layer retrying three times, a
 * failing dependency three layers down sees 27 requests for one.
 *
 * Threads: pure. */
#ifndef RG_CORE_LAYER_H
#define RG_CORE_LAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cxx.h"

RG_C_BEGIN

#define RG_OWNER_MAX 64 /* bytes of a layer name */
#define RG_DEFAULT_MAX_HOPS 16

enum rg_layer_mode {
  RG_LAYER_OUTERMOST, /* the first layer with a retryPolicy */
  RG_LAYER_INNERMOST, /* each its direct dependency, and says so when it gave up
                       */
};

struct rg_layer_policy {
  bool disabled; /* marks are neither made, forwarded nor obeyed */
  bool baggage;  /* marks travel in the W3C `baggage` entry too */
  enum rg_layer_mode mode;
  uint32_t max_hops;
  uint8_t name_length;
  char name[RG_OWNER_MAX]; /* of the marks made here; may be empty */
};

/* A retry mark. */
struct rg_mark {
  uint32_t hops;
  uint32_t attempt;
  uint8_t owner_length;
  char owner[RG_OWNER_MAX];
};

/* What is known of the retries above this process. */
enum rg_lineage {
  RG_LINEAGE_UNMARKED, /* nobody above retries, as far as can be told */
  RG_LINEAGE_MARKED,   /* somebody does, and here is the mark */
  /* Somebody does, but the mark ends here: it cannot be decoded, or it has
   * passed too many hops. */
  RG_LINEAGE_MARKED_NO_FORWARD,
};

struct rg_ancestry {
  enum rg_lineage lineage;
  struct rg_mark mark; /* with RG_LINEAGE_MARKED */
};

enum rg_mark_kind { RG_MARK_NONE, RG_MARK_DECODED, RG_MARK_UNDECODABLE };

/* One source's account of what is above: an incoming mark, if any, after
 * decoding, and the `grpc-previous-rpc-attempts` of the call. */
struct rg_incoming {
  enum rg_mark_kind kind;
  struct rg_mark mark;        /* with RG_MARK_DECODED */
  uint32_t previous_attempts; /* 0 when the entry is absent */
};

/* Judges one incoming call. A caller that retries without marking (an attempt
 * number above 0) counts as marked, as an owner without a name. */
struct rg_ancestry rg_layer_judge(const struct rg_incoming *incoming,
                                  uint32_t max_hops);

/* Of two accounts the most restrictive one: marked beats unmarked, and the end
 * of the line beats a mark; of two marks the one that travelled further. */
struct rg_ancestry rg_layer_merge(struct rg_ancestry a, struct rg_ancestry b);

/* Whether this layer may retry. */
bool rg_layer_may_retry(const struct rg_layer_policy *policy,
                        enum rg_lineage lineage);

enum rg_mark_origin {
  RG_MARK_NOT_SENT,
  RG_MARK_MADE,
  RG_MARK_FORWARDED,
  RG_MARK_ORIGINS
};

/* The mark to send with attempt number `attempt` (1 the first) of a call whose
 * method has a retryPolicy or has not. The result says whether `mark` was
 * written, and from where. */
enum rg_mark_origin rg_layer_outgoing(const struct rg_layer_policy *policy,
                                      const struct rg_ancestry *ancestry,
                                      bool has_retry_policy, uint32_t attempt,
                                      struct rg_mark *mark);

RG_C_END

#endif
