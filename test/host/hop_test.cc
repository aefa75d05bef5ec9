// SPDX-License-Identifier: Apache-2.0
#include "host/hop.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "host/baggage.h"
#include "host/heap_count.h"
#include "host/mark.h"
#include "support/race.h"

namespace {

using Entry = std::pair<std::string, std::string>;

Entry Attempts(const std::string &text) {
  return {"grpc-previous-rpc-attempts", text};
}

Entry MarkEntry(const std::string &owner, uint32_t hops, uint32_t attempt = 1) {
  rg_mark mark = {};
  mark.hops = hops;
  mark.attempt = attempt;
  mark.owner_length = static_cast<uint8_t>(owner.size());
  memcpy(mark.owner, owner.data(), owner.size());
  uint8_t bytes[RG_MARK_MAX_BYTES];
  const size_t length = rg_mark_encode(&mark, bytes);
  return {RG_MARK_KEY,
          std::string(reinterpret_cast<const char *>(bytes), length)};
}

std::string Owner(const retry_guard_hop *hop) {
  return std::string(hop->ancestry.mark.owner, hop->ancestry.mark.owner_length);
}

retry_guard_status FromMetadata(const std::vector<Entry> &entries,
                                retry_guard_hop **hop) {
  std::vector<retry_guard_metadata> metadata;
  for (const auto &[key, value] : entries)
    metadata.push_back({key.c_str(), value.data(), value.size()});
  return retry_guard_hop_from_metadata(metadata.data(), metadata.size(), hop);
}

// A hop context of these entries; null when they say nothing.
class Hop {
 public:
  explicit Hop(const std::vector<Entry> &entries) {
    const retry_guard_status status = FromMetadata(entries, &hop_);
    EXPECT_EQ(status, hop_ == nullptr ? RETRY_GUARD_NOT_FOUND : RETRY_GUARD_OK);
  }
  ~Hop() { retry_guard_hop_unref(hop_); }
  Hop(const Hop &) = delete;
  Hop &operator=(const Hop &) = delete;

  retry_guard_hop *get() const { return hop_; }
  retry_guard_hop *operator->() const { return hop_; }

 private:
  retry_guard_hop *hop_ = nullptr;
};

// The mark that a call one hop below `hop` carries.
rg_mark Below(const retry_guard_hop *hop) {
  const char *key = nullptr;
  uint8_t buffer[128];
  size_t length = 0;
  EXPECT_EQ(
      retry_guard_hop_to_metadata(hop, &key, buffer, sizeof buffer, &length),
      RETRY_GUARD_OK);
  EXPECT_STREQ(key, RG_MARK_KEY);
  rg_mark mark = {};
  EXPECT_TRUE(rg_mark_decode(buffer, length, &mark));
  return mark;
}

TEST(HopFromMetadata, KeepsTheMarkAsItCame) {
  const Hop hop({MarkEntry("edge", 3, 2)});
  ASSERT_NE(hop.get(), nullptr);
  EXPECT_EQ(hop->ancestry.lineage, RG_LINEAGE_MARKED);
  EXPECT_EQ(Owner(hop.get()), "edge");
  EXPECT_EQ(hop->ancestry.mark.hops, 3u);
  EXPECT_EQ(hop->ancestry.mark.attempt, 2u);
}

TEST(HopFromMetadata, FindsAMarkAmongTheMembersOfBaggage) {
  const Entry entry = MarkEntry("edge", 2);
  rg_mark mark{};
  ASSERT_TRUE(rg_mark_decode(entry.second.data(), entry.second.size(), &mark));
  char text[RG_BAGGAGE_MAX_BYTES];
  size_t length = 0;
  ASSERT_TRUE(rg_baggage_write("a=b", 3, &mark, text, &length));
  Hop hop({{"baggage", std::string(text, length)}});
  EXPECT_EQ(hop->ancestry.lineage, RG_LINEAGE_MARKED);
  EXPECT_EQ(hop->ancestry.mark.hops, 2u);
  retry_guard_hop *none = nullptr;
  EXPECT_EQ(FromMetadata({{"baggage", "a=b"}}, &none), RETRY_GUARD_NOT_FOUND);
}

TEST(HopFromMetadata, SkipsEntriesOfOtherNames) {
  const Hop hop({{"te", "trailers"},
                 {"", ""},
                 {"retry-layer", "x"},
                 {"retry-layer-bin2", "x"},
                 MarkEntry("edge", 3),
                 {"user-agent", "grpc-c/29.0.0"}});
  ASSERT_NE(hop.get(), nullptr);
  EXPECT_EQ(hop->ancestry.lineage, RG_LINEAGE_MARKED);
  EXPECT_EQ(Owner(hop.get()), "edge");
}

TEST(HopFromMetadata, IsNotFoundWhenNobodyAboveRetries) {
  for (const std::vector<Entry> &entries :
       {std::vector<Entry>{}, std::vector<Entry>{{"te", "trailers"}},
        std::vector<Entry>{Attempts("0")}}) {
    retry_guard_hop untouched = {};
    retry_guard_hop *hop = &untouched;
    EXPECT_EQ(FromMetadata(entries, &hop), RETRY_GUARD_NOT_FOUND);
    EXPECT_EQ(hop, nullptr);
  }
  retry_guard_hop *hop = nullptr;
  EXPECT_EQ(retry_guard_hop_from_metadata(nullptr, 0, &hop),
            RETRY_GUARD_NOT_FOUND);
}

TEST(HopFromMetadata, RefusesArgumentsThatAreNull) {
  const retry_guard_metadata good = {"te", "trailers", 8};
  const retry_guard_metadata no_key = {nullptr, "x", 1};
  const retry_guard_metadata no_value = {"te", nullptr, 1};
  retry_guard_hop *hop = nullptr;
  EXPECT_EQ(retry_guard_hop_from_metadata(&good, 1, nullptr),
            RETRY_GUARD_INVALID_ARGUMENT);
  EXPECT_EQ(retry_guard_hop_from_metadata(nullptr, 1, &hop),
            RETRY_GUARD_INVALID_ARGUMENT);
  EXPECT_EQ(retry_guard_hop_from_metadata(&no_key, 1, &hop),
            RETRY_GUARD_INVALID_ARGUMENT);
  EXPECT_EQ(retry_guard_hop_from_metadata(&no_value, 1, &hop),
            RETRY_GUARD_INVALID_ARGUMENT);
  EXPECT_EQ(hop, nullptr);
}

TEST(HopFromMetadata, AnEmptyValueMayBeNull) {
  const retry_guard_metadata entries[] = {
      {"te", nullptr, 0}, {"grpc-previous-rpc-attempts", nullptr, 0}};
  retry_guard_hop *hop = nullptr;
  EXPECT_EQ(retry_guard_hop_from_metadata(entries, 2, &hop),
            RETRY_GUARD_NOT_FOUND);
}

TEST(HopFromMetadata, ReportsThatMemoryIsOut) {
  if (!rg_test::EmptyHeap::IsPossible()) GTEST_SKIP();
  const Entry mark = MarkEntry("edge", 0);
  const retry_guard_metadata entry = {mark.first.c_str(), mark.second.data(),
                                      mark.second.size()};
  retry_guard_hop untouched = {};
  retry_guard_hop *hop = &untouched;
  retry_guard_status status = RETRY_GUARD_OK;
  {
    const rg_test::EmptyHeap heap;
    status = retry_guard_hop_from_metadata(&entry, 1, &hop);
  }
  EXPECT_EQ(status, RETRY_GUARD_OUT_OF_MEMORY);
  EXPECT_EQ(hop, nullptr);
}

TEST(HopFromMetadata, ReadsTheNumberOfPreviousAttempts) {
  const std::pair<const char *, uint32_t> kAttemptOf[] = {
      {"1", 2},
      {"4", 5},
      {"007", 8},
      {"4294967294", UINT32_MAX},
      {"4294967295", UINT32_MAX},
      {"4294967296", UINT32_MAX},
      {"99999999999999999999999999999999", UINT32_MAX}};
  for (const auto &[text, attempt] : kAttemptOf) {
    const Hop hop({Attempts(text)});
    ASSERT_NE(hop.get(), nullptr) << text;
    EXPECT_EQ(hop->ancestry.lineage, RG_LINEAGE_MARKED) << text;
    EXPECT_EQ(hop->ancestry.mark.attempt, attempt) << text;
    EXPECT_EQ(hop->ancestry.mark.hops, 0u) << text;
    EXPECT_EQ(Owner(hop.get()), "") << text;
  }
}

TEST(HopFromMetadata, TakesWhatIsNoNumberForNoAttempts) {
  for (const char *text :
       {"", "0", "000", "-1", "+1", " 1", "1 ", "1x", "0x1", "1.0", "one"}) {
    const Hop hop({Attempts(text)});
    EXPECT_EQ(hop.get(), nullptr) << text;
  }
  const Hop hop({Attempts(std::string("1\0", 2))});
  EXPECT_EQ(hop.get(), nullptr);
}

TEST(HopFromMetadata, OfSeveralMarksTheOneThatTravelledFurtherCounts) {
  const Entry near = MarkEntry("near", 1);
  const Entry far = MarkEntry("far", 2);
  for (const auto &entries : {std::vector<Entry>{near, far, near},
                              std::vector<Entry>{far, near, near}}) {
    const Hop hop(entries);
    ASSERT_NE(hop.get(), nullptr);
    EXPECT_EQ(Owner(hop.get()), "far");
  }
}

TEST(HopFromMetadata, AMarkThatEndsHereBeatsOneThatDoesNot) {
  const Entry good = MarkEntry("edge", RG_DEFAULT_MAX_HOPS - 1);
  for (const Entry &end :
       {MarkEntry("edge", RG_DEFAULT_MAX_HOPS), Entry(RG_MARK_KEY, "\xff")}) {
    for (const auto &entries :
         {std::vector<Entry>{good, end}, std::vector<Entry>{end, good}}) {
      const Hop hop(entries);
      ASSERT_NE(hop.get(), nullptr);
      EXPECT_EQ(hop->ancestry.lineage, RG_LINEAGE_MARKED_NO_FORWARD);
    }
  }
}

// gRPC sends both with an owner's retries, in any order.
TEST(HopFromMetadata, AMarkSaysMoreThanTheNumberOfPreviousAttempts) {
  const Entry mark = MarkEntry("edge", 0, 2);
  const Entry attempts = Attempts("1");
  for (const auto &entries : {std::vector<Entry>{mark, attempts},
                              std::vector<Entry>{attempts, mark}}) {
    const Hop hop(entries);
    ASSERT_NE(hop.get(), nullptr);
    EXPECT_EQ(Owner(hop.get()), "edge");
    EXPECT_EQ(hop->ancestry.mark.attempt, 2u);
  }
}

TEST(HopToMetadata, CountsOneHopMore) {
  const Hop hop({MarkEntry("edge", 3, 2)});
  const rg_mark mark = Below(hop.get());
  EXPECT_EQ(std::string(mark.owner, mark.owner_length), "edge");
  EXPECT_EQ(mark.hops, 4u);
  EXPECT_EQ(mark.attempt, 2u);
  EXPECT_EQ(hop->ancestry.mark.hops, 3u);
}

TEST(HopToMetadata, MarksForACallerThatRetriesWithoutMarking) {
  const Hop hop({Attempts("2")});
  const rg_mark mark = Below(hop.get());
  EXPECT_EQ(mark.owner_length, 0);
  EXPECT_EQ(mark.hops, 1u);
  EXPECT_EQ(mark.attempt, 3u);
}

TEST(HopToMetadata, IsNotFoundForAMarkThatEndsHere) {
  for (const Entry &end :
       {MarkEntry("edge", RG_DEFAULT_MAX_HOPS), Entry(RG_MARK_KEY, "\xff")}) {
    const Hop hop({end});
    const char *key = nullptr;
    char buffer[128];
    size_t length = 0;
    EXPECT_EQ(retry_guard_hop_to_metadata(hop.get(), &key, buffer,
                                          sizeof buffer, &length),
              RETRY_GUARD_NOT_FOUND);
  }
}

TEST(HopToMetadata, ReportsTheSizeThatABufferNeeds) {
  const Hop hop({MarkEntry("edge", 0, 1)});
  const char *key = nullptr;
  size_t needed = 0;
  ASSERT_EQ(retry_guard_hop_to_metadata(hop.get(), &key, nullptr, 0, &needed),
            RETRY_GUARD_BUFFER_TOO_SMALL);
  std::vector<char> buffer(needed, '!');
  size_t length = 0;
  EXPECT_EQ(retry_guard_hop_to_metadata(hop.get(), &key, buffer.data(),
                                        needed - 1, &length),
            RETRY_GUARD_BUFFER_TOO_SMALL);
  EXPECT_EQ(length, needed);
  EXPECT_EQ(buffer, std::vector<char>(needed, '!'));
  EXPECT_EQ(retry_guard_hop_to_metadata(hop.get(), &key, buffer.data(), needed,
                                        &length),
            RETRY_GUARD_OK);
  EXPECT_EQ(length, needed);
}

TEST(HopToMetadata, The128BytesOfTheHeaderSufficeForTheLongestMark) {
  const Hop hop({MarkEntry(std::string(RG_OWNER_MAX, 'x'),
                           RG_DEFAULT_MAX_HOPS - 1, UINT32_MAX)});
  EXPECT_EQ(Below(hop.get()).owner_length, RG_OWNER_MAX);
}

TEST(HopToMetadata, RefusesArgumentsThatAreNull) {
  const Hop hop({MarkEntry("edge", 0)});
  const char *key = nullptr;
  char buffer[128];
  size_t length = 0;
  EXPECT_EQ(retry_guard_hop_to_metadata(nullptr, &key, buffer, sizeof buffer,
                                        &length),
            RETRY_GUARD_INVALID_ARGUMENT);
  EXPECT_EQ(retry_guard_hop_to_metadata(hop.get(), nullptr, buffer,
                                        sizeof buffer, &length),
            RETRY_GUARD_INVALID_ARGUMENT);
  EXPECT_EQ(retry_guard_hop_to_metadata(hop.get(), &key, nullptr, sizeof buffer,
                                        &length),
            RETRY_GUARD_INVALID_ARGUMENT);
  EXPECT_EQ(retry_guard_hop_to_metadata(hop.get(), &key, buffer, sizeof buffer,
                                        nullptr),
            RETRY_GUARD_INVALID_ARGUMENT);
}

// What one hop writes, the next one reads.
TEST(HopToMetadata, AMarkTravelsMaxHopsProcessesDownAndNoFurther) {
  Entry entry = MarkEntry("edge", 0);
  int forwarded = 0;
  for (;; forwarded++) {
    const Hop hop({entry});
    ASSERT_NE(hop.get(), nullptr);
    const char *key = nullptr;
    char buffer[128];
    size_t length = 0;
    if (retry_guard_hop_to_metadata(hop.get(), &key, buffer, sizeof buffer,
                                    &length) != RETRY_GUARD_OK)
      break;
    entry = {key, std::string(buffer, length)};
  }
  EXPECT_EQ(forwarded, RG_DEFAULT_MAX_HOPS);
}

// Under AddressSanitizer a reference too few or too many shows.
TEST(HopReference, LivesUntilTheLastIsGivenBack) {
  retry_guard_hop *hop = nullptr;
  ASSERT_EQ(FromMetadata({MarkEntry("edge", 0)}, &hop), RETRY_GUARD_OK);
  EXPECT_EQ(retry_guard_hop_ref(hop), hop);
  retry_guard_hop_unref(hop);
  EXPECT_EQ(Owner(hop), "edge");
  retry_guard_hop_unref(hop);
}

TEST(HopReference, GivingBackNullDoesNothing) {
  retry_guard_hop_unref(nullptr);
}

TEST(HopReference, IsCountedAcrossThreads) {
  retry_guard_hop *hop = nullptr;
  ASSERT_EQ(FromMetadata({MarkEntry("edge", 0)}, &hop), RETRY_GUARD_OK);
  for (int i = 0; i < 8; i++) retry_guard_hop_ref(hop);
  rg_test::Race(8, [hop](int) {
    for (int i = 0; i < 1000; i++) {
      retry_guard_hop_ref(hop);
      EXPECT_EQ(Owner(hop), "edge");
      retry_guard_hop_unref(hop);
    }
    retry_guard_hop_unref(hop);
  });
  EXPECT_EQ(hop->refs, 1u);
  retry_guard_hop_unref(hop);
}

struct HeldByACall {
  int held = 0;
  int released = 0;
};

HeldByACall &CallOf(retry_guard_hop *hop) {
  return *static_cast<HeldByACall *>(hop->owner);
}

// As with a server call, whose memory is not on the heap.
TEST(HopReference, GoesToWhateverTheHopLivesIn) {
  const rg_hop_lifetime lifetime = {
      [](retry_guard_hop *hop) { CallOf(hop).held++; },
      [](retry_guard_hop *hop) { CallOf(hop).released++; }};
  HeldByACall call;
  retry_guard_hop hop = {};
  hop.lifetime = &lifetime;
  hop.owner = &call;
  EXPECT_EQ(retry_guard_hop_ref(&hop), &hop);
  EXPECT_EQ(call.held, 1);
  EXPECT_EQ(call.released, 0);
  retry_guard_hop_unref(&hop);
  EXPECT_EQ(call.released, 1);
}

TEST(HopScope, AThreadBeginsWithoutAHop) {
  retry_guard_hop hop = {};
  retry_guard_hop *outer = retry_guard_scope_enter(&hop);
  retry_guard_hop *of_other = &hop;
  std::thread([&of_other] { of_other = rg_hop_of_thread(); }).join();
  EXPECT_EQ(of_other, nullptr);
  EXPECT_EQ(rg_hop_of_thread(), &hop);
  retry_guard_scope_leave(outer);
  EXPECT_EQ(rg_hop_of_thread(), nullptr);
}

TEST(HopScope, ScopesNest) {
  retry_guard_hop a = {};
  retry_guard_hop b = {};
  retry_guard_hop *before_a = retry_guard_scope_enter(&a);
  EXPECT_EQ(before_a, nullptr);
  retry_guard_hop *before_b = retry_guard_scope_enter(&b);
  EXPECT_EQ(before_b, &a);
  EXPECT_EQ(rg_hop_of_thread(), &b);
  retry_guard_hop *before_a_again = retry_guard_scope_enter(&a);
  EXPECT_EQ(rg_hop_of_thread(), &a);
  retry_guard_scope_leave(before_a_again);
  EXPECT_EQ(rg_hop_of_thread(), &b);
  retry_guard_scope_leave(before_b);
  EXPECT_EQ(rg_hop_of_thread(), &a);
  retry_guard_scope_leave(before_a);
  EXPECT_EQ(rg_hop_of_thread(), nullptr);
}

TEST(HopScope, NullMakesCallsContextless) {
  retry_guard_hop hop = {};
  retry_guard_hop *outer = retry_guard_scope_enter(&hop);
  retry_guard_hop *inner = retry_guard_scope_enter(nullptr);
  EXPECT_EQ(rg_hop_of_thread(), nullptr);
  retry_guard_scope_leave(inner);
  EXPECT_EQ(rg_hop_of_thread(), &hop);
  retry_guard_scope_leave(outer);
}

// The thread borrows the caller's reference.
TEST(HopScope, TakesNoReference) {
  const Hop hop({MarkEntry("edge", 0)});
  retry_guard_hop *outer = retry_guard_scope_enter(hop.get());
  EXPECT_EQ(hop->refs, 1u);
  retry_guard_scope_leave(outer);
  EXPECT_EQ(hop->refs, 1u);
}

}  // namespace
