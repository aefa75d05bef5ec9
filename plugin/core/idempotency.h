/* SPDX-License-Identifier: Apache-2.0 */

/* Which calls are safe to repeat.
 *
 * Threads: pure. */
#ifndef RG_CORE_IDEMPOTENCY_H
#define RG_CORE_IDEMPOTENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cxx.h"

RG_C_BEGIN

#define RG_KEY_HEADER_MAX 64 /* bytes of the name of the key's entry */
#define RG_KEY_LENGTH 36     /* of a generated key, without NUL */

enum rg_idempotency {
  RG_IDEMPOTENCY_ANY,      /* the operator listed the method in retryPolicy */
  RG_IDEMPOTENCY_KEY,      /* calls that carry a key */
  RG_IDEMPOTENCY_GENERATE, /* all; a call without a key is given one */
};

struct rg_idempotency_policy {
  enum rg_idempotency mode;
  char key_header[RG_KEY_HEADER_MAX + 1]; /* lower case, ends in NUL */
};

/* Whether a call may be repeated that carries a key of its own or does not. */
bool rg_idempotency_safe(const struct rg_idempotency_policy *policy,
                         bool has_key);

/* Writes a random UUID (version 4, RFC 9562) and a NUL from 128 random bits. */
void rg_idempotency_key(uint64_t random_high, uint64_t random_low,
                        char key[RG_KEY_LENGTH + 1]);

RG_C_END

#endif
