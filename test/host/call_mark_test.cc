// SPDX-License-Identifier: Apache-2.0

// The marks that the call object puts on attempts.
#include <gtest/gtest.h>

#include "host/call.h"
#include "host/call_fixture.h"
#include "host/process.h"

namespace {

using namespace rg_test;

using CallMark = CallTest;
using CallMarked = CallTest;

TEST_F(CallMark, IsMadeForEveryAttemptTheFirstIncluded) {
  Renew(9);
  Call call = Begin();
  for (uint32_t attempt = 1; attempt <= 5; attempt++) {
    const rg_admission admission = call.Begins(attempt - 1);
    EXPECT_EQ(admission.mark_origin, RG_MARK_MADE);
    EXPECT_EQ(Owner(admission.mark), "checkout");
    EXPECT_EQ(admission.mark.hops, 0u);
    EXPECT_EQ(admission.mark.attempt, attempt);
    call.Ends(kUnavailable);
  }
  EXPECT_EQ(sums().marks_made, 5u);
  EXPECT_EQ(sums().marks_forwarded, 0u);
}

TEST_F(CallMark, OfATransparentRepeatIsTheSame) {
  Renew(9);
  Call call = Begin();
  EXPECT_EQ(call.Begins().mark.attempt, 1u);
  call.Ends(kNotSent);
  EXPECT_EQ(call.Begins().mark.attempt, 1u);
  call.Ends(kUnavailable);
  EXPECT_EQ(call.Begins().mark.attempt, 2u);
  call.Ends(kNotSent);
  const rg_admission admission = call.Begins();
  EXPECT_EQ(admission.mark_origin, RG_MARK_MADE);
  EXPECT_EQ(admission.mark.attempt, 2u);
}

TEST_F(CallMark, OfAnUndecidedRetryIsTheNextOne) {
  Call call = Begin();
  call.Begins();
  const rg_admission admission = call.Begins(1);
  EXPECT_EQ(admission.mark_origin, RG_MARK_MADE);
  EXPECT_EQ(admission.mark.attempt, 2u);
}

TEST_F(CallMark, IsNotMadeForARejectedRetry) {
  Renew(0);
  Call call = Begin();
  call.Begins();
  EXPECT_EQ(call.Begins(1).mark_origin, RG_MARK_NOT_SENT);
  EXPECT_EQ(sums().marks_made, 1u);
}

TEST_F(CallMark, IsNotMadeWithoutARetryPolicy) {
  method_.has_retry = false;
  EXPECT_EQ(Begin().Begins().mark_origin, RG_MARK_NOT_SENT);
  EXPECT_EQ(sums().marks_made, 0u);
}

TEST_F(CallMark, IsNotMadeWhenRetriesAreDisabledForTheChannel) {
  retries_enabled_ = false;
  EXPECT_EQ(Begin().Begins().mark_origin, RG_MARK_NOT_SENT);
  EXPECT_EQ(sums().marks_made, 0u);
}

TEST_F(CallMark, IsNeitherMadeNorForwardedWhenTheLayerRuleIsDisabled) {
  method_.policy.layer.disabled = true;
  for (const rg_ancestry *ancestry :
       {static_cast<const rg_ancestry *>(nullptr), &kMarked, &kMarkedToTheEnd})
    EXPECT_EQ(Begin(ancestry).Begins().mark_origin, RG_MARK_NOT_SENT);
  EXPECT_EQ(sums().marks_made, 0u);
  EXPECT_EQ(sums().marks_forwarded, 0u);
}

TEST_F(CallMark, MayBeWithoutAName) {
  method_.policy.layer.name_length = 0;
  const rg_admission admission = Begin().Begins();
  EXPECT_EQ(admission.mark_origin, RG_MARK_MADE);
  EXPECT_EQ(Owner(admission.mark), "");
}

void ExpectForwarded(const rg_admission &admission) {
  EXPECT_EQ(admission.mark_origin, RG_MARK_FORWARDED);
  EXPECT_EQ(Owner(admission.mark), "edge");
  EXPECT_EQ(admission.mark.hops, 3u);     // one more
  EXPECT_EQ(admission.mark.attempt, 3u);  // the owner's
}

TEST_F(CallMarked, ForwardsTheMarkUnchangedButForItsHops) {
  Call call = Begin(&kMarked);
  ExpectForwarded(call.Begins());
  call.Ends(kNotSent);
  ExpectForwarded(call.Begins());
  EXPECT_EQ(sums().marks_forwarded, 2u);
  EXPECT_EQ(sums().marks_made, 0u);
}

TEST_F(CallMarked, ForwardsTheMarkAlsoWhereItWouldMakeNone) {
  method_.has_retry = false;
  ExpectForwarded(Begin(&kMarked).Begins());
  retries_enabled_ = false;
  ExpectForwarded(Begin(&kMarked).Begins());
}

TEST_F(CallMarked, SendsNoMarkWhereTheMarkEnds) {
  EXPECT_EQ(Begin(&kMarkedToTheEnd).Begins().mark_origin, RG_MARK_NOT_SENT);
  EXPECT_EQ(sums().marks_made, 0u);
  EXPECT_EQ(sums().marks_forwarded, 0u);
}

TEST_F(CallMarked, DoesNotRetry) {
  for (const rg_ancestry *ancestry : {&kMarked, &kMarkedToTheEnd}) {
    const rg_verdict verdict = Begin(ancestry).Try(kUnavailable);
    EXPECT_EQ(verdict.action, RG_ACTION_STOP);
    EXPECT_EQ(verdict.reason, RG_STOP_LAYER);
  }
  EXPECT_EQ(Level(), 1000u);
}

TEST_F(CallMarked, RetriesWhenTheLayerRuleIsDisabled) {
  method_.policy.layer.disabled = true;
  EXPECT_EQ(Begin(&kMarked).Try(kUnavailable).action, RG_ACTION_RETRY);
}

TEST_F(CallMarked, TakesWhatIsAboveFromItsHop) {
  Hop hop(RG_DEADLINE_NONE, kMarked);
  ExpectForwarded(Begin(hop.get()).Begins());
}

// What the application put into the call's metadata itself.
TEST_F(CallMarked, IsACallThatTheApplicationMarks) {
  Call call = Begin();
  call.Set(kMarked);
  ExpectForwarded(call.Begins());
  EXPECT_EQ(call.Ends(kUnavailable).reason, RG_STOP_LAYER);
}

// The seam has merged what is above and what the application says.
TEST_F(CallMarked, WhatIsSetComesBeforeWhatTheHopSays) {
  const rg_ancestry nearer = Ancestry(RG_LINEAGE_MARKED, Mark("near", 1, 1));
  Hop hop(RG_DEADLINE_NONE, nearer);
  Call call = Begin(hop.get());
  call.Set(kMarked);
  ExpectForwarded(call.Begins());
}

// The application adds the same mark for every attempt.
TEST_F(CallMarked, AMarkSetAgainChangesNothing) {
  Call call = Begin();
  for (int i = 0; i < 3; i++) {
    call.Set(kMarked);
    ExpectForwarded(call.Begins());
    call.Ends(kNotSent);
  }
}

TEST_F(CallMarked, TheMarkEndsAfterAsManyHopsAsThePolicyAllows) {
  const uint64_t rejected = rg_process_counters.marks_rejected;
  method_.policy.layer.max_hops = 3;
  ExpectForwarded(Begin(&kMarked).Begins());
  EXPECT_EQ(rg_process_counters.marks_rejected, rejected);
  method_.policy.layer.max_hops = 2;
  Call call = Begin(&kMarked);
  EXPECT_EQ(call.Begins().mark_origin, RG_MARK_NOT_SENT);
  EXPECT_EQ(rg_process_counters.marks_rejected, rejected + 1);
  EXPECT_EQ(call.Ends(kUnavailable).reason, RG_STOP_LAYER);
}

}  // namespace
