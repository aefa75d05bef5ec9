// SPDX-License-Identifier: Apache-2.0
#include "core/layer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace {

rg_mark Mark(const std::string &owner, uint32_t hops, uint32_t attempt) {
  rg_mark mark = {};
  mark.hops = hops;
  mark.attempt = attempt;
  mark.owner_length = static_cast<uint8_t>(owner.size());
  memcpy(mark.owner, owner.data(), owner.size());
  return mark;
}

std::string Owner(const rg_mark &mark) {
  return std::string(mark.owner, mark.owner_length);
}

rg_incoming Incoming(rg_mark_kind kind, const rg_mark &mark,
                     uint32_t previous_attempts) {
  rg_incoming incoming = {};
  incoming.kind = kind;
  incoming.mark = mark;
  incoming.previous_attempts = previous_attempts;
  return incoming;
}

rg_ancestry JudgeMarked(uint32_t hops, uint32_t max_hops) {
  const rg_incoming incoming =
      Incoming(RG_MARK_DECODED, Mark("edge", hops, 2), 0);
  return rg_layer_judge(&incoming, max_hops);
}

rg_ancestry JudgeUnmarked(uint32_t previous_attempts) {
  const rg_incoming incoming = Incoming(RG_MARK_NONE, {}, previous_attempts);
  return rg_layer_judge(&incoming, RG_DEFAULT_MAX_HOPS);
}

rg_ancestry Ancestry(rg_lineage lineage, const rg_mark &mark) {
  rg_ancestry ancestry = {};
  ancestry.lineage = lineage;
  ancestry.mark = mark;
  return ancestry;
}

rg_layer_policy Policy(const std::string &name) {
  rg_layer_policy policy = {};
  policy.mode = RG_LAYER_OUTERMOST;
  policy.max_hops = RG_DEFAULT_MAX_HOPS;
  policy.name_length = static_cast<uint8_t>(name.size());
  memcpy(policy.name, name.data(), name.size());
  return policy;
}

rg_layer_policy Innermost() {
  rg_layer_policy policy = Policy("checkout");
  policy.mode = RG_LAYER_INNERMOST;
  return policy;
}

rg_layer_policy Disabled() {
  rg_layer_policy policy = Policy("checkout");
  policy.disabled = true;
  return policy;
}

TEST(Layer, ACallWithoutAMarkOnItsFirstAttemptIsUnmarked) {
  EXPECT_EQ(JudgeUnmarked(0).lineage, RG_LINEAGE_UNMARKED);
}

TEST(Layer, ADecodedMarkIsKeptAsItCame) {
  const rg_ancestry ancestry = JudgeMarked(3, 16);
  EXPECT_EQ(ancestry.lineage, RG_LINEAGE_MARKED);
  EXPECT_EQ(Owner(ancestry.mark), "edge");
  EXPECT_EQ(ancestry.mark.hops, 3u);
  EXPECT_EQ(ancestry.mark.attempt, 2u);
}

// Forwarded max_hops times at most: hops counts what was forwarded so far.
TEST(Layer, AMarkEndsWhenItWasForwardedAsOftenAsItMay) {
  EXPECT_EQ(JudgeMarked(0, 1).lineage, RG_LINEAGE_MARKED);
  EXPECT_EQ(JudgeMarked(1, 1).lineage, RG_LINEAGE_MARKED_NO_FORWARD);
  EXPECT_EQ(JudgeMarked(15, 16).lineage, RG_LINEAGE_MARKED);
  EXPECT_EQ(JudgeMarked(16, 16).lineage, RG_LINEAGE_MARKED_NO_FORWARD);
  EXPECT_EQ(JudgeMarked(17, 16).lineage, RG_LINEAGE_MARKED_NO_FORWARD);
  EXPECT_EQ(JudgeMarked(UINT32_MAX - 1, UINT32_MAX).lineage, RG_LINEAGE_MARKED);
  EXPECT_EQ(JudgeMarked(UINT32_MAX, UINT32_MAX).lineage,
            RG_LINEAGE_MARKED_NO_FORWARD);
}

TEST(Layer, AnUndecodableMarkMeansThatSomebodyAboveRetries) {
  for (uint32_t previous_attempts : {0u, 1u, UINT32_MAX}) {
    const rg_incoming incoming =
        Incoming(RG_MARK_UNDECODABLE, {}, previous_attempts);
    EXPECT_EQ(rg_layer_judge(&incoming, 16).lineage,
              RG_LINEAGE_MARKED_NO_FORWARD);
  }
}

TEST(Layer, ACallerThatRetriesWithoutMarkingCountsAsMarked) {
  const rg_ancestry ancestry = JudgeUnmarked(1);
  EXPECT_EQ(ancestry.lineage, RG_LINEAGE_MARKED);
  EXPECT_EQ(Owner(ancestry.mark), "");
  EXPECT_EQ(ancestry.mark.hops, 0u);
  EXPECT_EQ(ancestry.mark.attempt, 2u);  // one was before it
}

TEST(Layer, TheAttemptNumberOfAnUnguardedCallerDoesNotOverflow) {
  EXPECT_EQ(JudgeUnmarked(UINT32_MAX - 1).mark.attempt, UINT32_MAX);
  EXPECT_EQ(JudgeUnmarked(UINT32_MAX).mark.attempt, UINT32_MAX);
}

TEST(Layer, AMarkSaysMoreThanTheAttemptNumber) {
  const rg_incoming incoming =
      Incoming(RG_MARK_DECODED, Mark("edge", 1, 1), /*previous_attempts=*/4);
  const rg_ancestry ancestry = rg_layer_judge(&incoming, 16);
  EXPECT_EQ(Owner(ancestry.mark), "edge");
  EXPECT_EQ(ancestry.mark.attempt, 1u);
}

TEST(Layer, MergingKeepsTheMostRestrictive) {
  constexpr rg_lineage kAll[] = {RG_LINEAGE_UNMARKED, RG_LINEAGE_MARKED,
                                 RG_LINEAGE_MARKED_NO_FORWARD};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      // The looser one travelled further; that must not matter.
      const rg_ancestry merged =
          rg_layer_merge(Ancestry(kAll[i], Mark("a", i < j ? 9 : 1, 1)),
                         Ancestry(kAll[j], Mark("b", j < i ? 9 : 1, 1)));
      EXPECT_EQ(merged.lineage, kAll[i > j ? i : j]) << i << " " << j;
    }
  }
}

TEST(Layer, MergingAMarkWithNoneKeepsTheMark) {
  const rg_ancestry none = Ancestry(RG_LINEAGE_UNMARKED, {});
  const rg_ancestry marked = Ancestry(RG_LINEAGE_MARKED, Mark("edge", 0, 3));
  EXPECT_EQ(Owner(rg_layer_merge(none, marked).mark), "edge");
  EXPECT_EQ(Owner(rg_layer_merge(marked, none).mark), "edge");
}

TEST(Layer, OfTwoMarksTheOneThatTravelledFurtherStays) {
  const rg_ancestry near = Ancestry(RG_LINEAGE_MARKED, Mark("near", 1, 1));
  const rg_ancestry far = Ancestry(RG_LINEAGE_MARKED, Mark("far", 2, 1));
  EXPECT_EQ(Owner(rg_layer_merge(near, far).mark), "far");
  EXPECT_EQ(Owner(rg_layer_merge(far, near).mark), "far");
}

TEST(Layer, OnlyAnUnmarkedCallIsRetried) {
  const rg_layer_policy policy = Policy("checkout");
  EXPECT_TRUE(rg_layer_may_retry(&policy, RG_LINEAGE_UNMARKED));
  EXPECT_FALSE(rg_layer_may_retry(&policy, RG_LINEAGE_MARKED));
  EXPECT_FALSE(rg_layer_may_retry(&policy, RG_LINEAGE_MARKED_NO_FORWARD));
}

TEST(Layer, DisabledItObeysNoMark) {
  const rg_layer_policy policy = Disabled();
  EXPECT_TRUE(rg_layer_may_retry(&policy, RG_LINEAGE_UNMARKED));
  EXPECT_TRUE(rg_layer_may_retry(&policy, RG_LINEAGE_MARKED));
  EXPECT_TRUE(rg_layer_may_retry(&policy, RG_LINEAGE_MARKED_NO_FORWARD));
}

TEST(Layer, TheOwnerOfRetriesMarksEveryAttempt) {
  const rg_layer_policy policy = Policy("checkout");
  const rg_ancestry ancestry = Ancestry(RG_LINEAGE_UNMARKED, {});
  for (uint32_t attempt : {1u, 2u, 5u, UINT32_MAX}) {
    rg_mark mark = Mark("leftover", 7, 7);
    EXPECT_EQ(rg_layer_outgoing(&policy, &ancestry, true, attempt, &mark),
              RG_MARK_MADE);
    EXPECT_EQ(Owner(mark), "checkout");
    EXPECT_EQ(mark.hops, 0u);
    EXPECT_EQ(mark.attempt, attempt);
  }
}

TEST(Layer, AMarkMayBeWithoutANameAndHasRoomForTheLongest) {
  const rg_ancestry ancestry = Ancestry(RG_LINEAGE_UNMARKED, {});
  for (const std::string &name :
       {std::string(), std::string(RG_OWNER_MAX, 'x')}) {
    const rg_layer_policy policy = Policy(name);
    rg_mark mark = Mark("leftover", 7, 7);
    EXPECT_EQ(rg_layer_outgoing(&policy, &ancestry, true, 1, &mark),
              RG_MARK_MADE);
    EXPECT_EQ(Owner(mark), name);
  }
}

TEST(Layer, AMethodWithoutARetryPolicyMakesNoMark) {
  const rg_layer_policy policy = Policy("checkout");
  const rg_ancestry ancestry = Ancestry(RG_LINEAGE_UNMARKED, {});
  rg_mark mark = {};
  EXPECT_EQ(rg_layer_outgoing(&policy, &ancestry, false, 1, &mark),
            RG_MARK_NOT_SENT);
}

// Also by a hop that has no retryPolicy: the one below it may have.
TEST(Layer, AMarkIsForwardedUnchangedButForItsHops) {
  const rg_layer_policy policy = Policy("checkout");
  const rg_ancestry ancestry = Ancestry(RG_LINEAGE_MARKED, Mark("edge", 4, 2));
  for (bool has_retry_policy : {false, true}) {
    rg_mark mark = {};
    EXPECT_EQ(rg_layer_outgoing(&policy, &ancestry, has_retry_policy,
                                /*attempt=*/3, &mark),
              RG_MARK_FORWARDED);
    EXPECT_EQ(Owner(mark), "edge");
    EXPECT_EQ(mark.hops, 5u);
    EXPECT_EQ(mark.attempt, 2u);
  }
}

TEST(Layer, AMarkThatEndsHereIsNeitherForwardedNorReplaced) {
  const rg_layer_policy policy = Policy("checkout");
  const rg_ancestry ancestry =
      Ancestry(RG_LINEAGE_MARKED_NO_FORWARD, Mark("edge", 16, 1));
  for (bool has_retry_policy : {false, true}) {
    rg_mark mark = {};
    EXPECT_EQ(rg_layer_outgoing(&policy, &ancestry, has_retry_policy, 1, &mark),
              RG_MARK_NOT_SENT);
  }
}

TEST(Layer, DisabledItSendsNoMark) {
  const rg_layer_policy policy = Disabled();
  for (rg_lineage lineage :
       {RG_LINEAGE_UNMARKED, RG_LINEAGE_MARKED, RG_LINEAGE_MARKED_NO_FORWARD}) {
    const rg_ancestry ancestry = Ancestry(lineage, Mark("edge", 1, 1));
    rg_mark mark = {};
    EXPECT_EQ(rg_layer_outgoing(&policy, &ancestry, true, 1, &mark),
              RG_MARK_NOT_SENT);
  }
}

// A mark may have been judged by a looser rule than the policy's: the hop
// context is there before the call's policy is.
TEST(Layer, AMarkThatHasComeAsFarAsThePolicyAllowsIsNotSent) {
  rg_layer_policy policy = Policy("checkout");
  for (uint32_t max_hops : {1u, 3u, 255u, UINT32_MAX}) {
    policy.max_hops = max_hops;
    rg_mark mark = {};
    for (uint32_t hops : {max_hops, UINT32_MAX}) {
      const rg_ancestry ended =
          Ancestry(RG_LINEAGE_MARKED, Mark("edge", hops, 1));
      EXPECT_EQ(rg_layer_outgoing(&policy, &ended, true, 1, &mark),
                RG_MARK_NOT_SENT);
      EXPECT_FALSE(rg_layer_may_retry(&policy, ended.lineage));
    }
    const rg_ancestry last =
        Ancestry(RG_LINEAGE_MARKED, Mark("edge", max_hops - 1, 1));
    EXPECT_EQ(rg_layer_outgoing(&policy, &last, true, 1, &mark),
              RG_MARK_FORWARDED);
    EXPECT_EQ(mark.hops, max_hops);
  }
}

// ---- Innermost --------------------------------------------------------------

TEST(Layer, InnermostMakesNoMarks) {
  const rg_layer_policy policy = Innermost();
  const rg_ancestry ancestry = Ancestry(RG_LINEAGE_UNMARKED, {});
  for (bool has_retry_policy : {false, true}) {
    rg_mark mark = {};
    EXPECT_EQ(rg_layer_outgoing(&policy, &ancestry, has_retry_policy, 1, &mark),
              RG_MARK_NOT_SENT);
  }
}

TEST(Layer, InnermostObeysMarks) {
  const rg_layer_policy policy = Innermost();
  EXPECT_TRUE(rg_layer_may_retry(&policy, RG_LINEAGE_UNMARKED));
  EXPECT_FALSE(rg_layer_may_retry(&policy, RG_LINEAGE_MARKED));
  EXPECT_FALSE(rg_layer_may_retry(&policy, RG_LINEAGE_MARKED_NO_FORWARD));
}

TEST(Layer, InnermostForwardsMarks) {
  rg_layer_policy policy = Innermost();
  const rg_ancestry ancestry = Ancestry(RG_LINEAGE_MARKED, Mark("edge", 4, 2));
  for (bool has_retry_policy : {false, true}) {
    rg_mark mark = {};
    EXPECT_EQ(rg_layer_outgoing(&policy, &ancestry, has_retry_policy, 1, &mark),
              RG_MARK_FORWARDED);
    EXPECT_EQ(Owner(mark), "edge");
    EXPECT_EQ(mark.hops, 5u);
    EXPECT_EQ(mark.attempt, 2u);
  }
  policy.max_hops = 4;
  rg_mark mark = {};
  EXPECT_EQ(rg_layer_outgoing(&policy, &ancestry, true, 1, &mark),
            RG_MARK_NOT_SENT);
}

// ---- Many hops --------------------------------------------------------------

// Each hop judges what the hop above sent.
TEST(Layer, AMarkTravelsMaxHopsProcessesDownAndNoFurther) {
  const rg_layer_policy policy = Policy("edge");
  rg_ancestry ancestry = Ancestry(RG_LINEAGE_UNMARKED, {});
  rg_mark mark = {};
  rg_layer_outgoing(&policy, &ancestry, true, 1, &mark);
  uint32_t forwarded = 0;
  for (;;) {
    const rg_incoming incoming = Incoming(RG_MARK_DECODED, mark, 0);
    ancestry = rg_layer_judge(&incoming, RG_DEFAULT_MAX_HOPS);
    ASSERT_FALSE(rg_layer_may_retry(&policy, ancestry.lineage));
    if (rg_layer_outgoing(&policy, &ancestry, true, 1, &mark) !=
        RG_MARK_FORWARDED)
      break;
    ASSERT_LT(forwarded++, 100u);
  }
  EXPECT_EQ(forwarded, static_cast<uint32_t>(RG_DEFAULT_MAX_HOPS));
}

}  // namespace
