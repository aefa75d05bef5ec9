// SPDX-License-Identifier: Apache-2.0
#include "sim/review.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "support/random.h"

namespace {

constexpr uint64_t kSecond = 1000000000;
constexpr uint32_t kUsual = 20;  // calls in a slice

// 100 s of calls that all succeed at once, with trouble from 30 s to 32 s.
class Review : public testing::Test {
 protected:
  Review() {
    EXPECT_TRUE(rg_record_init(&record_, 100 * kSecond));
    Set(0, 100, [](rg_slice *slice) {
      slice->calls = slice->ok = slice->arrivals[0] = kUsual;
    });
  }
  ~Review() override { rg_record_clean_up(&record_); }

  // Changes the slices of the seconds [from, until).
  void Set(double from, double until,
           const std::function<void(rg_slice *)> &set) {
    for (int i = static_cast<int>(from * 10 + 0.5); i < until * 10 - 0.5; i++)
      set(&record_.slices[i]);
  }
  void Fail(double from, double until, double share = 1) {
    Set(from, until, [share](rg_slice *slice) {
      slice->failed = static_cast<uint32_t>(share * slice->calls + 0.5);
      slice->ok = slice->calls - slice->failed;
    });
  }
  void Arrive(double from, double until, uint32_t each, uint32_t retries = 0) {
    Set(from, until, [=](rg_slice *slice) {
      slice->arrivals[0] = each;
      slice->arrivals[1] = retries;
    });
  }

  rg_review Judge(double share = RG_REVIEW_SHARE) {
    return rg_review_of(&record_, &times_, share);
  }
  double Recovery() {
    const rg_review review = Judge();
    EXPECT_TRUE(review.recovered);
    return review.recovery_s;
  }

  rg_record record_ = {};
  rg_review_times times_ = {10 * kSecond, 30 * kSecond, 32 * kSecond};
};

TEST_F(Review, TellsWhatIsUsualFromTheCalmBeforeTheTrouble) {
  Set(0, 10, [](rg_slice *slice) { slice->calls = slice->arrivals[0] = 900; });
  Set(30, 100, [](rg_slice *slice) { slice->calls = slice->arrivals[0] = 1; });
  Arrive(10, 30, kUsual, 5);
  const rg_review review = Judge();
  EXPECT_DOUBLE_EQ(review.calls_per_s, 200);
  EXPECT_DOUBLE_EQ(review.arrivals_per_s, 250);
}

// ---- Recovery ----

TEST_F(Review, AFleetThatNothingHarmedIsBackAtOnce) {
  EXPECT_EQ(Recovery(), 0);
}

// A mean over 5 s of which 0.05 s and more are bad is below 99 %: it is good
// from where no bad slice is in it.
TEST_F(Review, AFleetIsBackWhenTheLastBadSliceIsOver) {
  Fail(30, 40);
  EXPECT_DOUBLE_EQ(Recovery(), 8);
}

TEST_F(Review, TroubleItselfDoesNotCount) {
  Fail(30, 32);
  EXPECT_EQ(Recovery(), 0);
}

// 1 of 20 fails: 95 %.
TEST_F(Review, HowMuchGoodputIsEnoughIsTheCallers) {
  Fail(32, 100, 0.05);
  EXPECT_FALSE(Judge(0.99).recovered);
  EXPECT_TRUE(Judge(0.95).recovered);
  EXPECT_EQ(Judge(0.95).recovery_s, 0);
}

// One slice is a fiftieth of a mean over 5 s; half of it is exactly enough.
TEST_F(Review, AFewFailuresAreMeantAway) {
  Fail(40, 40.1, 0.5);
  EXPECT_EQ(Recovery(), 0);
  Fail(40, 40.1, 0.55);
  EXPECT_GT(Recovery(), 8);
}

TEST_F(Review, ARelapseWithinTenSecondsIsNoRecovery) {
  Fail(30, 40);
  Fail(50, 60);
  // Of the means that begin within 10 s of 40 s, those after 45 s are bad.
  EXPECT_DOUBLE_EQ(Recovery(), 28);
}

TEST_F(Review, ARelapseAfterMoreThanTenSecondsIsAnother) {
  Fail(30, 40);
  Fail(55, 60);
  EXPECT_DOUBLE_EQ(Recovery(), 8);
}

TEST_F(Review, AFleetThatNeverGetsBetterDoesNotRecover) {
  Fail(30, 100);
  EXPECT_FALSE(Judge().recovered);
  EXPECT_TRUE(Judge().has_trouble);
}

// 10 s of means over 5 s, the last of which begins one slice before.
TEST_F(Review, ARecoveryIsOneOnlyWhereAllOfItIsSeen) {
  Fail(30, 85.1);
  EXPECT_DOUBLE_EQ(Recovery(), 53.1);
  Fail(30, 85.2);
  EXPECT_FALSE(Judge().recovered);
}

// With a loop until success nobody fails, but callers that wait do not call. Of
// 1000 calls in 5 s chance takes 3 * sqrt(1000) = 95, and 99 % of the other 905
// is enough: 896 are there when at most 10 slices of the 50 have only half.
TEST_F(Review, AFleetWhoseCallersAreStuckIsNotBack) {
  Set(30, 50, [](rg_slice *slice) { slice->calls = slice->ok = kUsual / 2; });
  EXPECT_DOUBLE_EQ(Recovery(), 17);
}

TEST_F(Review, AFleetThatNeverAnswersIsNotBack) {
  Set(30, 100, [](rg_slice *slice) { slice->ok = 0; });
  EXPECT_FALSE(Judge().recovered);
}

TEST_F(Review, AFleetThatAnswersNobodySinceNobodyCallsIsNotBack) {
  Set(30, 100, [](rg_slice *slice) { slice->calls = slice->ok = 0; });
  EXPECT_FALSE(Judge().recovered);
}

// Poisson arrivals of 20 a slice: 1000 in 5 s, give or take 32. Each of them is
// answered a slice later, so that by chance a mean has up to 2 % more calls
// than answers, which is nobody's failure.
TEST_F(Review, ChanceInTheArrivalsIsNoTrouble) {
  rg_test::Random random(1);
  for (size_t i = 0; i < record_.count; i++) {
    uint32_t calls = 0;
    for (int draw = 0; draw < 2000; draw++) calls += random.OneIn(100) ? 1 : 0;
    record_.slices[i].calls = calls;
    if (i + 1 < record_.count) record_.slices[i + 1].ok = calls;
  }
  EXPECT_EQ(Recovery(), 0);
}

// ---- The load ----

TEST_F(Review, PeakIsTheWorstSecondFromTheTroubleOn) {
  Arrive(0, 10, 100 * kUsual);
  Arrive(10, 30, 3 * kUsual);  // before it, that is what is usual
  Arrive(70.3, 71.3, 6 * kUsual);
  EXPECT_DOUBLE_EQ(Judge().peak, 2);
}

TEST_F(Review, PeakCountsAttemptsOfAllNumbers) {
  Arrive(60, 61, kUsual, kUsual / 2);
  EXPECT_DOUBLE_EQ(Judge().peak, 1.5);
}

TEST_F(Review, BurstIsTheWorstSliceSoonAfterTheTrouble) {
  Arrive(31, 31.1, 9 * kUsual);
  Arrive(35, 35.1, 4 * kUsual);
  Arrive(42, 42.1, 8 * kUsual);
  const rg_review review = Judge();
  EXPECT_DOUBLE_EQ(review.burst, 4);
  EXPECT_DOUBLE_EQ(review.peak, 1.8);  // nine usual slices and one of nine
}

TEST_F(Review, ThereIsNoPeakAndNoBurstWithoutACalm) {
  times_.calm_from = times_.trouble_from;
  const rg_review review = Judge();
  EXPECT_EQ(review.peak, 0);
  EXPECT_EQ(review.burst, 0);
  EXPECT_EQ(review.calls_per_s, 0);
}

// ---- No trouble ----

TEST_F(Review, WithoutTroubleTheCalmIsAllOfIt) {
  times_ = {10 * kSecond, UINT64_MAX, 0};
  Arrive(0, 5, 9 * kUsual);
  Fail(50, 100);
  const rg_review review = Judge();
  EXPECT_FALSE(review.has_trouble);
  EXPECT_FALSE(review.recovered);
  EXPECT_DOUBLE_EQ(review.calls_per_s, 200);
  EXPECT_EQ(review.peak, 0);
  EXPECT_EQ(review.burst, 0);
}

TEST_F(Review, TroubleThatLastsUntilTheEndHasNoRecovery) {
  times_.trouble_until = 100 * kSecond;
  EXPECT_FALSE(Judge().recovered);
  times_.trouble_until = 100000 * kSecond;
  EXPECT_FALSE(Judge().recovered);
}

}  // namespace
