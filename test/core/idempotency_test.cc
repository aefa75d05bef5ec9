// SPDX-License-Identifier: Apache-2.0
#include "core/idempotency.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

#include "support/random.h"

namespace {

bool Safe(rg_idempotency mode, bool has_key) {
  rg_idempotency_policy policy = {};
  policy.mode = mode;
  return rg_idempotency_safe(&policy, has_key);
}

std::string Key(uint64_t high, uint64_t low) {
  char key[RG_KEY_LENGTH + 1];
  memset(key, '?', sizeof(key));
  rg_idempotency_key(high, low, key);
  EXPECT_EQ(key[RG_KEY_LENGTH], '\0');
  return key;
}

TEST(Idempotency, AnyCallIsSafeByDefault) {
  EXPECT_TRUE(Safe(RG_IDEMPOTENCY_ANY, false));
  EXPECT_TRUE(Safe(RG_IDEMPOTENCY_ANY, true));
}

TEST(Idempotency, WhereAKeyIsAskedForACallWithoutOneIsNotSafe) {
  EXPECT_FALSE(Safe(RG_IDEMPOTENCY_KEY, false));
  EXPECT_TRUE(Safe(RG_IDEMPOTENCY_KEY, true));
}

TEST(Idempotency, WhereKeysAreGeneratedEveryCallIsSafe) {
  EXPECT_TRUE(Safe(RG_IDEMPOTENCY_GENERATE, false));
  EXPECT_TRUE(Safe(RG_IDEMPOTENCY_GENERATE, true));
}

TEST(Idempotency, AKeyIsAUuidOfVersionFour) {
  EXPECT_EQ(Key(0, 0), "00000000-0000-4000-8000-000000000000");
  EXPECT_EQ(Key(UINT64_MAX, UINT64_MAX),
            "ffffffff-ffff-4fff-bfff-ffffffffffff");
}

TEST(Idempotency, AKeyShowsItsBitsInOrder) {
  EXPECT_EQ(Key(UINT64_C(0x0123456789abcdef), UINT64_C(0x123456789abcdef0)),
            "01234567-89ab-4def-9234-56789abcdef0");
}

// 122 of the 128 bits; version and variant take the others.
TEST(Idempotency, EachRandomBitShowsInAKey) {
  const std::string zero = Key(0, 0);
  std::set<std::string> keys = {zero};
  for (int bit = 0; bit < 64; bit++) {
    const uint64_t one = UINT64_C(1) << bit;
    const bool version = bit >= 12 && bit < 16;
    const bool variant = bit >= 62;
    EXPECT_EQ(Key(one, 0) == zero, version) << bit;
    EXPECT_EQ(Key(0, one) == zero, variant) << bit;
    keys.insert(Key(one, 0));
    keys.insert(Key(0, one));
  }
  EXPECT_EQ(keys.size(), 1u + 122u);
}

TEST(Idempotency, EveryKeyHasTheFormOfAUuid) {
  rg_test::Random random(1);
  for (int i = 0; i < 10000; i++) {
    const std::string key = Key(random.Bits(), random.Bits());
    ASSERT_EQ(key.size(), static_cast<size_t>(RG_KEY_LENGTH));
    for (size_t at = 0; at < key.size(); at++) {
      const bool dash = at == 8 || at == 13 || at == 18 || at == 23;
      const char *allowed = dash       ? "-"
                            : at == 14 ? "4"
                            : at == 19 ? "89ab"
                                       : "0123456789abcdef";
      ASSERT_NE(strchr(allowed, key[at]), nullptr) << key << " " << at;
    }
  }
}

}  // namespace
