/* SPDX-License-Identifier: Apache-2.0 */
#include "core/idempotency.h"

#define VERSION_4 UINT64_C(0x4000)
#define VARIANT (UINT64_C(2) << 62)

bool rg_idempotency_safe(const struct rg_idempotency_policy *policy,
                         bool has_key) {
  return policy->mode != RG_IDEMPOTENCY_KEY || has_key;
}

static char *put_hex(char *out, uint64_t bits, int digits) {
  while (digits-- > 0) *out++ = "0123456789abcdef"[bits >> 4 * digits & 15];
  return out;
}

void rg_idempotency_key(uint64_t random_high, uint64_t random_low,
                        char key[RG_KEY_LENGTH + 1]) {
  uint64_t high = (random_high & ~UINT64_C(0xf000)) | VERSION_4;
  uint64_t low = (random_low & ~(UINT64_C(3) << 62)) | VARIANT;
  key = put_hex(key, high >> 32, 8);
  *key++ = '-';
  key = put_hex(key, high >> 16, 4);
  *key++ = '-';
  key = put_hex(key, high, 4);
  *key++ = '-';
  key = put_hex(key, low >> 48, 4);
  *key++ = '-';
  key = put_hex(key, low, 12);
  *key = '\0';
}
