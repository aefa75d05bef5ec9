// SPDX-License-Identifier: Apache-2.0

// Which calls are repeated, and the keys that make them safe to repeat.
#include <gtest/gtest.h>

#include <string>

#include "host/call.h"
#include "host/call_fixture.h"

namespace {

using namespace rg_test;

rg_attempt_facts WithOwnKey(bool has_own_key = true) {
  rg_attempt_facts facts = {};
  facts.has_own_key = has_own_key;
  return facts;
}

class IdempotencyTest : public CallTest {
 protected:
  IdempotencyTest() { Renew(9); }
  void Use(rg_idempotency mode) { method_.policy.idempotency.mode = mode; }
};

using CallIdempotencyAny = IdempotencyTest;
using CallIdempotencyKey = IdempotencyTest;
using CallIdempotencyGenerate = IdempotencyTest;

TEST_F(CallIdempotencyAny, EveryCallIsRepeatedAndGetsNoKey) {
  for (const bool own : {false, true}) {
    Call call = Begin();
    EXPECT_FALSE(call.Begins(WithOwnKey(own)).send_key);
    EXPECT_EQ(call.Ends(kUnavailable).action, RG_ACTION_RETRY);
  }
}

TEST_F(CallIdempotencyKey, OnlyCallsWithAKeyAreRepeated) {
  Use(RG_IDEMPOTENCY_KEY);
  Call with = Begin();
  EXPECT_FALSE(with.Begins(WithOwnKey()).send_key);
  EXPECT_EQ(with.Ends(kUnavailable).action, RG_ACTION_RETRY);
  const uint64_t level = Level();
  Call without = Begin();
  EXPECT_FALSE(without.Begins().send_key);
  const rg_verdict verdict = without.Ends(kUnavailable);
  EXPECT_EQ(verdict.action, RG_ACTION_STOP);
  EXPECT_EQ(verdict.reason, RG_STOP_UNSAFE);
  EXPECT_EQ(counters().stops[RG_STOP_UNSAFE], 1u);
  EXPECT_EQ(Level(), level);
}

// What the call carried at its first attempt holds.
TEST_F(CallIdempotencyKey, TheFirstAttemptSaysWhetherThereIsOne) {
  Use(RG_IDEMPOTENCY_KEY);
  Call call = Begin();
  call.Begins(WithOwnKey());
  ASSERT_EQ(call.Ends(kUnavailable).action, RG_ACTION_RETRY);
  call.Begins(WithOwnKey(false));
  EXPECT_EQ(call.Ends(kUnavailable).action, RG_ACTION_RETRY);
}

TEST_F(CallIdempotencyKey, ARetryThatNobodyDecidedIsRefusedWithoutOne) {
  Use(RG_IDEMPOTENCY_KEY);
  Call call = Begin();
  call.Begins();
  const rg_admission admission = call.Begins(1);
  EXPECT_EQ(admission.refusal, RG_REFUSED_RETRY);
  EXPECT_EQ(admission.stop, RG_STOP_UNSAFE);
}

TEST_F(CallIdempotencyKey, AnotherLayerComesBefore) {
  Use(RG_IDEMPOTENCY_KEY);
  EXPECT_EQ(Begin(&kMarked).Try(kUnavailable).reason, RG_STOP_LAYER);
}

TEST_F(CallIdempotencyGenerate, AllAttemptsOfACallHaveTheSameKey) {
  Use(RG_IDEMPOTENCY_GENERATE);
  Call call = Begin();
  std::string key;
  for (uint64_t attempt = 1; attempt <= 5; attempt++) {
    EXPECT_TRUE(call.Begins({}, /*random=*/attempt * 1234567).send_key);
    if (attempt == 1) key = call.Key();
    EXPECT_EQ(call.Key(), key);
    call.Ends(kUnavailable);
  }
  EXPECT_EQ(key.size(), size_t{RG_KEY_LENGTH});
}

TEST_F(CallIdempotencyGenerate, ATransparentRepeatHasItToo) {
  Use(RG_IDEMPOTENCY_GENERATE);
  Call call = Begin();
  EXPECT_TRUE(call.Begins({}, 7).send_key);
  const std::string key = call.Key();
  call.Ends(kNotSent);
  EXPECT_TRUE(call.Begins({}, 8).send_key);
  EXPECT_EQ(call.Key(), key);
}

TEST_F(CallIdempotencyGenerate, TwoCallsHaveDifferentKeys) {
  Use(RG_IDEMPOTENCY_GENERATE);
  Call a = Begin();
  Call b = Begin();
  a.Begins({}, 7);
  b.Begins({}, 8);
  EXPECT_NE(a.Key(), b.Key());
}

TEST_F(CallIdempotencyGenerate, ACallsOwnKeyIsKept) {
  Use(RG_IDEMPOTENCY_GENERATE);
  Call call = Begin();
  EXPECT_FALSE(call.Begins(WithOwnKey()).send_key);
  ASSERT_EQ(call.Ends(kUnavailable).action, RG_ACTION_RETRY);
  EXPECT_FALSE(call.Begins(WithOwnKey()).send_key);
}

// gRPC has the first attempt's metadata again, without what was added to it.
TEST_F(CallIdempotencyGenerate, TheGuardsOwnKeyIsNotTakenForTheCalls) {
  Use(RG_IDEMPOTENCY_GENERATE);
  Call call = Begin();
  EXPECT_TRUE(call.Begins(WithOwnKey(false)).send_key);
  ASSERT_EQ(call.Ends(kUnavailable).action, RG_ACTION_RETRY);
  EXPECT_TRUE(call.Begins(WithOwnKey(true)).send_key);
}

TEST_F(CallIdempotencyGenerate, WhatIsNeverRepeatedNeedsNoKey) {
  Use(RG_IDEMPOTENCY_GENERATE);
  method_.has_retry = false;
  EXPECT_FALSE(Begin().Begins().send_key);
  method_.has_retry = true;
  retries_enabled_ = false;
  EXPECT_FALSE(Begin().Begins().send_key);
}

TEST_F(CallIdempotencyGenerate, ARefusedAttemptHasNoKey) {
  Use(RG_IDEMPOTENCY_GENERATE);
  method_.policy.deadline.min_remaining_ns = kSecond;
  EXPECT_FALSE(Begin(nullptr, now_).Begins().send_key);
}

}  // namespace
