/* SPDX-License-Identifier: Apache-2.0 */
#include "core/idempotency.h"

#include <string.h>

#define VERSION_4 UINT64_C(0x4000)
#define VARIANT (UINT64_C(2) << 62)

bool rg_idempotency_safe(const struct rg_idempotency_policy *policy,
                         bool has_key) {
  return policy->mode != RG_IDEMPOTENCY_KEY || has_key;
}

/* Digit by digit it took twice as long. */
static char *put_hex(char *out, uint64_t bits, int digits) {
  static const char pairs[] =
      "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
      "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"
      "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f"
      "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f"
      "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"
      "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf"
      "c0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedf"
      "e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";
  while ((digits -= 2) >= 0) {
    memcpy(out, pairs + 2 * (bits >> 4 * digits & 255), 2);
    out += 2;
  }
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
