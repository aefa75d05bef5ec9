// SPDX-License-Identifier: Apache-2.0
#include "host/breakers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "host/heap_count.h"
#include "host/scoped_policy.h"
#include "support/race.h"
#include "support/random.h"

namespace {

using rg_test::OpensAtOnce;

constexpr uint64_t kSecond = UINT64_C(1000000000);

// One that lives on; 0: none.
const rg_backend *Backend(uint64_t number) {
  static const std::vector<rg_backend> backends = [] {
    std::vector<rg_backend> all;
    for (uint64_t i = 0; i <= 2 * RG_BREAKERS_MAX; i++)
      all.push_back({i, "ipv4:10.0.0.1:1", 15});
    return all;
  }();
  return number != 0 ? &backends[number] : nullptr;
}

// `path` outlives it.
rg_breaker_key Key(const std::string &path, uint64_t backend = 0) {
  rg_breaker_key key = rg_breakers_key(path.data(), path.size());
  key.backend = Backend(backend);
  return key;
}

class Breakers : public testing::Test {
 protected:
  ~Breakers() override {
    rg_breakers_clean_up(breakers_);
    std::free(breakers_);
  }

  void Configure(const rg_breaker_policy &policy) {
    std::free(rg_breakers_configure(breakers_, &policy, fresh_,
                                    rg_breakers_reserve(breakers_, &policy)));
    fresh_ = false;
  }
  void Configure(rg_breaker_scope scope) { Configure(OpensAtOnce(scope)); }

  rg_breaker *Find(const rg_breaker_key &key) {
    return rg_breakers_find(breakers_, &key, now_);
  }
  rg_breaker *Find(const std::string &path) { return Find(Key(path)); }

  rg_permit Permit(rg_breaker *breaker) {
    const rg_breaker_admission admission = rg_breaker_admit(breaker, now_);
    EXPECT_TRUE(admission.admitted);
    return admission.permit;
  }
  rg_settlement Settle(rg_breaker *breaker, rg_permit permit,
                       rg_result result) {
    return rg_breaker_settle(breaker, &permit, result, now_, 0);
  }
  void Open(rg_breaker *breaker) {
    EXPECT_EQ(Settle(breaker, Permit(breaker), RG_RESULT_FAILURE),
              RG_SETTLED_OPENED);
  }
  static rg_breaker_state State(const rg_breaker *breaker) {
    return rg_breaker_state_of(breaker);
  }

  // Uses as many methods as there are places, one each millisecond.
  std::vector<rg_breaker *> Fill(const std::string &stem) {
    std::vector<rg_breaker *> places;
    for (int i = 0; i < RG_BREAKERS_MAX; i++) {
      now_ += kSecond / 1000;
      places.push_back(Find(stem + std::to_string(i)));
    }
    now_ += kSecond / 1000;
    return places;
  }

  // All zero, as in a new target; `= {}` leaves atomics as they are.
  rg_breakers *const breakers_ =
      static_cast<rg_breakers *>(std::calloc(1, sizeof(rg_breakers)));
  bool fresh_ = true;
  uint64_t now_ = 100 * kSecond;
};

using BreakersScope = Breakers;
using BreakersPlaces = Breakers;
using BreakersUpdate = Breakers;
using BreakersMemory = Breakers;

TEST(BreakersHash, IsNeverNothing) {
  EXPECT_NE(rg_breakers_hash("", 0), 0u);
  EXPECT_NE(rg_breakers_hash(nullptr, 0), 0u);
}

TEST(BreakersHash, TellsNamesApart) {
  std::set<uint64_t> all;
  for (int i = 0; i < 10000; i++) {
    const std::string name = "ipv4:10.0.0.1:" + std::to_string(i);
    EXPECT_TRUE(all.insert(rg_breakers_hash(name.data(), name.size())).second);
  }
}

TEST(BreakersHash, TellsLengthsApart) {
  std::set<uint64_t> all;
  for (char c : {'\0', '\1', '/', 'a', 'b', '\xff'})
    for (size_t length = 1; length < 100; length++) {
      const std::string same(length, c);
      EXPECT_TRUE(all.insert(rg_breakers_hash(same.data(), length)).second);
    }
}

TEST(BreakersHash, LooksAtEveryByte) {
  for (size_t length = 1; length < 40; length++) {
    std::set<uint64_t> all;
    for (size_t i = 0; i < length; i++)
      for (int byte = 1; byte < 256; byte++) {
        std::string text(length, '\0');
        text[i] = static_cast<char>(byte);
        // On the heap, to the byte, for the sanitizers.
        const std::string exact(text.data(), text.size());
        all.insert(rg_breakers_hash(exact.data(), exact.size()));
      }
    EXPECT_EQ(all.size(), length * 255);
  }
}

TEST(BreakersHash, SpreadsNamesOverAllPlaces) {
  std::vector<int> places(RG_BREAKERS_MAX);
  for (int i = 0; i < 100 * RG_BREAKERS_MAX; i++) {
    const std::string name = "/shop.Ledger/Add" + std::to_string(i);
    places[rg_breakers_hash(name.data(), name.size()) % RG_BREAKERS_MAX]++;
  }
  for (int count : places) {
    EXPECT_GT(count, 50);
    EXPECT_LT(count, 150);
  }
}

TEST(BreakersKey, IsOfTheServiceAndOfTheMethod) {
  const std::string add = "/shop.Ledger/Add", remove = "/shop.Ledger/Remove";
  const std::string other = "/shop.Cart/Add";
  const rg_breaker_key a = Key(add), b = Key(remove), c = Key(other);
  EXPECT_EQ(a.service, b.service);
  EXPECT_NE(a.method, b.method);
  EXPECT_NE(a.service, c.service);
  EXPECT_NE(a.method, c.method);
  EXPECT_EQ(a.backend, nullptr);
}

// Services and methods of all lengths around those of words.
TEST(BreakersKey, TellsAllMethodsOfAllServicesApart) {
  std::set<uint64_t> services, methods;
  for (size_t i = 0; i < 30; i++)
    for (size_t j = 0; j < 30; j++)
      for (char c : {'a', 'b'}) {
        const std::string path =
            "/" + std::string(i, c) + "/" + std::string(j, c);
        const rg_breaker_key key = Key(path);
        services.insert(key.service);
        methods.insert(key.method);
      }
  EXPECT_EQ(services.size(), 1u + 2 * 29);
  EXPECT_EQ(methods.size(), 1u + 2 * (30 * 30 - 1));
}

TEST(BreakersKey, TakesPathsOfAnyShape) {
  for (const std::string &path :
       {std::string(), std::string("/"), std::string("x"), std::string("//"),
        std::string(10000, '/'), std::string(10000, 'x')}) {
    const rg_breaker_key key = Key(path);
    EXPECT_NE(key.service, 0u);
    EXPECT_NE(key.method, 0u);
  }
}

TEST_F(BreakersScope, OfATargetIsOneForAll) {
  Configure(RG_BREAKER_PER_TARGET);
  EXPECT_EQ(Find(Key("/a/x", 1)), &breakers_->whole);
  EXPECT_EQ(Find(Key("/b/y", 2)), &breakers_->whole);
  const rg_breaker_key nothing = {};
  EXPECT_EQ(Find(nothing), &breakers_->whole);
}

TEST_F(BreakersScope, OfAServiceIsOneForItsMethods) {
  Configure(RG_BREAKER_PER_SERVICE);
  EXPECT_EQ(Find("/a/x"), Find("/a/y"));
  EXPECT_NE(Find("/a/x"), Find("/b/x"));
  EXPECT_NE(Find("/a/x"), &breakers_->whole);
}

TEST_F(BreakersScope, OfAMethodIsOneForEach) {
  Configure(RG_BREAKER_PER_METHOD);
  EXPECT_EQ(Find("/a/x"), Find("/a/x"));
  EXPECT_NE(Find("/a/x"), Find("/a/y"));
  EXPECT_EQ(Find(Key("/a/x", 1)), Find(Key("/a/x", 2)));
}

TEST_F(BreakersScope, OfABackendIsOneForEachOnceItIsKnown) {
  Configure(RG_BREAKER_PER_BACKEND);
  EXPECT_EQ(Find(Key("/a/x", 0)), nullptr);
  EXPECT_EQ(Find(Key("/a/x", 1)), Find(Key("/b/y", 1)));
  EXPECT_NE(Find(Key("/a/x", 1)), Find(Key("/a/x", 2)));
}

TEST_F(BreakersScope, WithoutANameThereIsNone) {
  const rg_breaker_key nothing = {};
  for (rg_breaker_scope scope :
       {RG_BREAKER_PER_SERVICE, RG_BREAKER_PER_METHOD}) {
    Configure(scope);
    EXPECT_EQ(Find(nothing), nullptr);
  }
}

TEST_F(BreakersScope, OneThatIsOpenLeavesTheOthersClosed) {
  Configure(RG_BREAKER_PER_METHOD);
  Open(Find("/a/x"));
  EXPECT_EQ(State(Find("/a/x")), RG_BREAKER_OPEN);
  EXPECT_EQ(State(Find("/a/y")), RG_BREAKER_CLOSED);
  EXPECT_EQ(State(&breakers_->whole), RG_BREAKER_CLOSED);
}

TEST_F(BreakersPlaces, AsManyAsTheBoundAreTold) {
  Configure(RG_BREAKER_PER_METHOD);
  std::set<rg_breaker *> all;
  for (int i = 0; i < RG_BREAKERS_MAX; i++)
    EXPECT_TRUE(all.insert(Find("/s/" + std::to_string(i))).second);
  for (int i = 0; i < RG_BREAKERS_MAX; i++)
    EXPECT_EQ(all.count(Find("/s/" + std::to_string(i))), 1u);
}

TEST_F(BreakersPlaces, AreTakenWhereTheyAreLookedForFirst) {
  Configure(RG_BREAKER_PER_METHOD);
  const std::string path = "/a/x";
  const rg_breaker_key key = Key(path);
  EXPECT_EQ(Find(key),
            &breakers_->scoped[key.method % RG_BREAKERS_MAX].breaker);
}

TEST_F(BreakersPlaces, ThatAreLookedForAtTheSameOneAreToldApart) {
  Configure(RG_BREAKER_PER_METHOD);
  std::set<rg_breaker *> all;
  int next = 0;
  for (int i = 0; i < 4; i++) {
    std::string path;
    do path = "/s/" + std::to_string(next++);
    while (Key(path).method % RG_BREAKERS_MAX != 7);
    EXPECT_TRUE(all.insert(Find(path)).second);
    EXPECT_EQ(all.count(Find(path)), 1u);
  }
}

TEST_F(BreakersPlaces, TheOneIdleLongestGivesWayAndTheNewOneStartsClosed) {
  Configure(RG_BREAKER_PER_METHOD);
  const std::vector<rg_breaker *> places = Fill("/old/");
  Open(places[1]);
  Find("/old/0");  // idle no more
  for (size_t i = 1; i < 4; i++) {
    now_ += kSecond / 1000;
    rg_breaker *fresh = Find("/new/" + std::to_string(i));
    EXPECT_EQ(fresh, places[i]);
    EXPECT_EQ(State(fresh), RG_BREAKER_CLOSED);
  }
  EXPECT_EQ(Find("/old/0"), places[0]);
}

TEST_F(BreakersPlaces, OneThatComesBackStartsClosedToo) {
  Configure(RG_BREAKER_PER_METHOD);
  Open(Find("/a/x"));
  Fill("/others/");
  EXPECT_EQ(State(Find("/a/x")), RG_BREAKER_CLOSED);
}

TEST_F(BreakersPlaces, TenThousandMethodsNeedNoMoreMemory) {
  Configure(RG_BREAKER_PER_METHOD);
  std::set<rg_breaker *> all;
  for (int i = 0; i < 10000; i++) {
    now_ += kSecond;
    const std::string path = "/s/" + std::to_string(i);
    const rg_breaker_key key = Key(path);
    const uint64_t before = rg_test::HeapAllocations();
    rg_breaker *breaker = Find(key);
    ASSERT_EQ(rg_test::HeapAllocations(), before);
    all.insert(breaker);
  }
  EXPECT_EQ(all.size(), size_t{RG_BREAKERS_MAX});
}

// The attempt was made for another method: its result says nothing of this one.
TEST_F(BreakersPlaces, APermitFromBeforeThePlaceWasReusedIsStale) {
  Configure(RG_BREAKER_PER_METHOD);
  rg_breaker *breaker = Find("/a/x");
  const rg_permit permit = Permit(breaker);
  Fill("/others/");
  EXPECT_EQ(Settle(breaker, permit, RG_RESULT_FAILURE), RG_SETTLED_STALE);
  EXPECT_EQ(State(breaker), RG_BREAKER_CLOSED);
}

TEST_F(BreakersPlaces, AProbeFromBeforeThePlaceWasReusedIsStale) {
  Configure(RG_BREAKER_PER_METHOD);
  for (rg_result result : {RG_RESULT_SUCCESS, RG_RESULT_FAILURE}) {
    const std::string path = "/a/" + std::to_string(result);
    rg_breaker *breaker = Find(path);
    Open(breaker);
    now_ += 6 * kSecond;
    const rg_permit probe = Permit(breaker);
    ASSERT_GT(probe.place, 0);
    Fill("/others" + path);
    Open(breaker);  // of whoever has it now
    EXPECT_EQ(Settle(breaker, probe, result), RG_SETTLED_STALE);
    EXPECT_EQ(State(breaker), RG_BREAKER_OPEN);
  }
}

TEST_F(BreakersPlaces, ThatWereNeverUsedGoFirst) {
  Configure(RG_BREAKER_PER_METHOD);
  rg_breaker *first = Find("/a/x");
  Open(first);
  for (int i = 1; i < RG_BREAKERS_MAX; i++) Find("/s/" + std::to_string(i));
  EXPECT_EQ(State(Find("/a/x")), RG_BREAKER_OPEN);
}

TEST_F(BreakersPlaces, TimeThatStepsBackDoesNoHarm) {
  Configure(RG_BREAKER_PER_METHOD);
  Fill("/a/");
  now_ = 1;
  Fill("/b/");
  now_ = UINT64_MAX;
  Find("/c/x");
  now_ = 0;
  EXPECT_NE(Find("/d/x"), nullptr);
}

TEST_F(BreakersUpdate, KeepsStatesAndChangesParameters) {
  Configure(RG_BREAKER_PER_METHOD);
  Open(Find("/a/x"));
  rg_breaker_policy policy = OpensAtOnce(RG_BREAKER_PER_METHOD);
  policy.min_requests = 7;
  Configure(policy);
  EXPECT_EQ(State(Find("/a/x")), RG_BREAKER_OPEN);
  EXPECT_EQ(Find("/a/x")->min_requests, 7u);
  EXPECT_EQ(Find("/never/used")->min_requests, 7u);
  EXPECT_EQ(breakers_->whole.min_requests, 7u);
}

TEST_F(BreakersUpdate, AnotherScopeHasItsOwn) {
  Configure(RG_BREAKER_PER_TARGET);
  Open(Find("/a/x"));
  Configure(RG_BREAKER_PER_METHOD);
  EXPECT_EQ(State(Find("/a/x")), RG_BREAKER_CLOSED);
  Open(Find("/a/y"));
  Configure(RG_BREAKER_PER_TARGET);
  EXPECT_EQ(State(Find("/a/x")), RG_BREAKER_OPEN);
  Configure(RG_BREAKER_PER_METHOD);
  EXPECT_EQ(State(Find("/a/y")), RG_BREAKER_OPEN);
}

TEST_F(BreakersUpdate, ScopesLearnWhatChangedWhileTheyWereOut) {
  Configure(RG_BREAKER_PER_METHOD);
  Find("/a/x");
  rg_breaker_policy policy = OpensAtOnce(RG_BREAKER_PER_TARGET);
  policy.min_requests = 7;
  Configure(policy);
  EXPECT_EQ(breakers_->scoped[0].breaker.min_requests, 7u);
}

TEST_F(BreakersUpdate, SwitchesAllOffAndOn) {
  Configure(RG_BREAKER_PER_METHOD);
  Open(Find("/a/x"));
  rg_breaker_policy policy = OpensAtOnce(RG_BREAKER_PER_METHOD);
  policy.disabled = true;
  Configure(policy);
  EXPECT_TRUE(rg_breaker_admit(Find("/a/x"), now_).admitted);
  Configure(RG_BREAKER_PER_METHOD);
  EXPECT_FALSE(rg_breaker_admit(Find("/a/x"), now_).admitted);
}

TEST_F(BreakersMemory, OneBreakerForTheTargetNeedsNone) {
  const uint64_t before = rg_test::HeapAllocations();
  Configure(RG_BREAKER_PER_TARGET);
  Configure(RG_BREAKER_PER_TARGET);
  EXPECT_EQ(rg_test::HeapAllocations(), before);
}

TEST_F(BreakersMemory, ScopesNeedItOnce) {
  const uint64_t before = rg_test::HeapAllocations();
  Configure(RG_BREAKER_PER_METHOD);
  Configure(RG_BREAKER_PER_BACKEND);
  Configure(RG_BREAKER_PER_TARGET);
  Configure(RG_BREAKER_PER_SERVICE);
  EXPECT_EQ(rg_test::HeapAllocations(), before + 1);
}

TEST_F(BreakersMemory, WithoutItTheTargetsOwnServes) {
  const rg_breaker_policy policy = OpensAtOnce(RG_BREAKER_PER_METHOD);
  EXPECT_EQ(rg_breakers_configure(breakers_, &policy, true, nullptr), nullptr);
  fresh_ = false;
  EXPECT_EQ(Find("/a/x"), &breakers_->whole);
  EXPECT_EQ(Find("/a/y"), &breakers_->whole);
  Open(Find("/a/x"));
  Configure(policy);
  EXPECT_NE(Find("/a/x"), &breakers_->whole);
  EXPECT_EQ(State(Find("/a/x")), RG_BREAKER_CLOSED);
}

TEST_F(BreakersMemory, WhatIsNotNeededComesBack) {
  const rg_breaker_policy policy = OpensAtOnce(RG_BREAKER_PER_METHOD);
  rg_scoped_breaker *reserve = rg_breakers_reserve(breakers_, &policy);
  ASSERT_NE(reserve, nullptr);
  Configure(policy);
  EXPECT_EQ(rg_breakers_configure(breakers_, &policy, false, reserve), reserve);
  std::free(reserve);
  EXPECT_EQ(rg_breakers_reserve(breakers_, &policy), nullptr);
}

// More names than places: whoever gets which, nothing breaks.
TEST_F(BreakersPlaces, ThreadsFindPlacesWhileOthersTakeThem) {
  Configure(RG_BREAKER_PER_BACKEND);
  // Half of the names have one from the beginning.
  for (uint64_t i = 1; i <= RG_BREAKERS_MAX; i++) {
    rg_breaker_key key = {};
    key.backend = Backend(i);
    ASSERT_NE(rg_breakers_find(breakers_, &key, now_), nullptr);
  }
  std::atomic<int> found{0};
  rg_test::Race(4, [&](int thread) {
    rg_test::Random random(static_cast<uint64_t>(thread));
    for (uint64_t i = 0; i < 20000; i++) {
      rg_breaker_key key = {};
      key.backend = Backend(1 + random.Below(2 * RG_BREAKERS_MAX));
      const uint64_t now = now_ + i;
      rg_breaker *breaker = rg_breakers_find(breakers_, &key, now);
      if (breaker == nullptr) continue;  // another was made in this moment
      found++;
      rg_permit permit = rg_breaker_admit(breaker, now).permit;
      rg_breaker_settle(
          breaker, &permit,
          random.OneIn(50) ? RG_RESULT_FAILURE : RG_RESULT_SUCCESS, now, 0);
    }
  });
  EXPECT_GT(found, 20000);
  for (int i = 0; i < RG_BREAKERS_MAX; i++)
    EXPECT_NE(breakers_->scoped[i].hash, 0u);
}

}  // namespace
