// SPDX-License-Identifier: Apache-2.0
#include "host/mark.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <set>
#include <string>

#include "host/heap_count.h"
#include "support/random.h"

namespace {

using rg_test::HeapAllocations;
using rg_test::Random;

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

void ExpectSame(const rg_mark &a, const rg_mark &b) {
  EXPECT_EQ(Owner(a), Owner(b));
  EXPECT_EQ(a.hops, b.hops);
  EXPECT_EQ(a.attempt, b.attempt);
}

std::string Encode(const rg_mark &mark) {
  uint8_t bytes[RG_MARK_MAX_BYTES];
  const size_t length = rg_mark_encode(&mark, bytes);
  EXPECT_LE(length, sizeof bytes);
  return std::string(reinterpret_cast<const char *>(bytes), length);
}

// Decodes from memory that ends where the bytes do, and without the heap.
bool Decode(const std::string &bytes, rg_mark *mark) {
  const std::unique_ptr<char[]> exact(new char[bytes.size()]);
  memcpy(exact.get(), bytes.data(), bytes.size());
  const uint64_t before = HeapAllocations();
  const bool decoded = rg_mark_decode(exact.get(), bytes.size(), mark);
  const uint64_t after = HeapAllocations();
  EXPECT_EQ(after - before, 0u);
  return decoded;
}

bool IsMark(const std::string &bytes) {
  rg_mark mark = {};
  return Decode(bytes, &mark);
}

// Whatever the bytes are: what is taken for a mark can be sent on as one.
void ExpectRefusedOrUsable(const std::string &bytes) {
  rg_mark mark = {};
  if (!Decode(bytes, &mark)) return;
  ASSERT_LE(mark.owner_length, RG_OWNER_MAX);
  rg_mark again = {};
  ASSERT_TRUE(Decode(Encode(mark), &again));
  ExpectSame(mark, again);
}

std::string Field(int number, int wire_type) {
  return std::string(1, static_cast<char>(number << 3 | wire_type));
}

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7)
    bytes += static_cast<char>((value & 0x7f) | 0x80);
  return bytes + static_cast<char>(value);
}

std::string Text(int field, const std::string &value) {
  return Field(field, 2) + Varint(value.size()) + value;
}

std::string Number(int field, uint64_t value) {
  return Field(field, 0) + Varint(value);
}

std::string Repeat(const std::string &part, size_t count) {
  std::string whole;
  for (size_t i = 0; i < count; i++) whole += part;
  return whole;
}

TEST(Mark, HasTheWireFormOfLayerMark) {
  EXPECT_EQ(Encode(Mark("edge", 1, 2)),
            "\x0a\x04"
            "edge\x10\x01\x18\x02");
  EXPECT_EQ(Encode(Mark("", 0, 1)), "\x18\x01");
  EXPECT_EQ(Encode(Mark("", 300, 0)), "\x10\xac\x02");
}

TEST(Mark, ComesBackAsItWasSent) {
  for (const std::string &owner :
       {std::string(), std::string("x"), std::string("caf\xc3\xa9"),
        std::string(RG_OWNER_MAX - 1, 'x'), std::string(RG_OWNER_MAX, 'x')}) {
    for (uint32_t hops : {0u, 1u, 127u, 128u, 16384u, UINT32_MAX}) {
      for (uint32_t attempt : {0u, 1u, 5u, UINT32_MAX - 1, UINT32_MAX}) {
        const rg_mark sent = Mark(owner, hops, attempt);
        rg_mark received = Mark("leftover", 7, 7);
        ASSERT_TRUE(Decode(Encode(sent), &received));
        ExpectSame(sent, received);
      }
    }
  }
}

// 1 + 1 + 64 bytes for the owner, 1 + 5 for each number.
TEST(Mark, TheLongestFitsIntoItsMaximum) {
  const std::string bytes =
      Encode(Mark(std::string(RG_OWNER_MAX, 'x'), UINT32_MAX, UINT32_MAX));
  EXPECT_EQ(bytes.size(), 78u);
  EXPECT_LE(bytes.size(), static_cast<size_t>(RG_MARK_MAX_BYTES));
}

TEST(Mark, EncodingNeedsNoHeap) {
  const rg_mark mark = Mark(std::string(RG_OWNER_MAX, 'x'), 1, 1);
  uint8_t bytes[RG_MARK_MAX_BYTES];
  const uint64_t before = HeapAllocations();
  rg_mark_encode(&mark, bytes);
  EXPECT_EQ(HeapAllocations(), before);
}

// The only wire form of a message that has nothing to say.
TEST(Mark, NoBytesAreAMarkWithoutContent) {
  rg_mark mark = Mark("leftover", 7, 7);
  ASSERT_TRUE(rg_mark_decode(nullptr, 0, &mark));
  ExpectSame(mark, Mark("", 0, 0));
  EXPECT_EQ(Encode(mark), "");
}

TEST(Mark, ItsFieldsMayComeInAnyOrderAndTheLastOneCounts) {
  rg_mark mark = {};
  ASSERT_TRUE(Decode(Number(3, 2) + Number(2, 1) + Text(1, "edge"), &mark));
  ExpectSame(mark, Mark("edge", 1, 2));
  ASSERT_TRUE(Decode(Text(1, "first") + Number(2, 5) + Text(1, "last") +
                         Number(2, 6) + Number(3, 1),
                     &mark));
  ExpectSame(mark, Mark("last", 6, 1));
}

TEST(Mark, CutOffItIsOneOnlyWhereAFieldEnds) {
  const std::string whole = Encode(Mark("edge", 1, 2));
  const std::set<size_t> ends = {0, 6, 8, 10};
  ASSERT_EQ(whole.size(), 10u);
  for (size_t length = 0; length <= whole.size(); length++) {
    EXPECT_EQ(IsMark(whole.substr(0, length)), ends.count(length) > 0)
        << length;
  }
}

TEST(Mark, TheLongestCutOffAnywhereIsRefusedOrUsable) {
  const std::string whole =
      Encode(Mark(std::string(RG_OWNER_MAX, 'x'), UINT32_MAX, UINT32_MAX));
  for (size_t length = 0; length <= whole.size(); length++)
    ExpectRefusedOrUsable(whole.substr(0, length));
}

TEST(Mark, WithAnyByteReplacedItIsRefusedOrUsable) {
  for (const rg_mark &mark :
       {Mark("edge", 1, 2),
        Mark(std::string(RG_OWNER_MAX, 'x'), UINT32_MAX, UINT32_MAX)}) {
    const std::string whole = Encode(mark);
    for (size_t place = 0; place < whole.size(); place++) {
      for (int byte = 0; byte < 256; byte++) {
        std::string bytes = whole;
        bytes[place] = static_cast<char>(byte);
        ExpectRefusedOrUsable(bytes);
      }
    }
  }
}

TEST(Mark, WithAnyByteInsertedItIsRefusedOrUsable) {
  const std::string whole = Encode(Mark("edge", 300, 2));
  for (size_t place = 0; place <= whole.size(); place++) {
    for (int byte = 0; byte < 256; byte++) {
      std::string bytes = whole;
      bytes.insert(place, 1, static_cast<char>(byte));
      ExpectRefusedOrUsable(bytes);
    }
  }
}

TEST(Mark, AnOwnerThatIsTooLongMakesItNoMark) {
  EXPECT_TRUE(IsMark(Text(1, std::string(RG_OWNER_MAX, 'x'))));
  EXPECT_FALSE(IsMark(Text(1, std::string(RG_OWNER_MAX + 1, 'x'))));
  EXPECT_FALSE(IsMark(Text(1, std::string(255, 'x'))));
  EXPECT_FALSE(IsMark(Text(1, std::string(900, 'x'))));
  EXPECT_FALSE(IsMark(Text(1, std::string(16384, 'x'))));
}

// A later version may add fields.
TEST(Mark, UnknownFieldsAreSkipped) {
  const std::string fixed32 = Field(9, 5) + std::string(4, '\xff');
  const std::string fixed64 = Field(10, 1) + std::string(8, '\xff');
  rg_mark mark = {};
  ASSERT_TRUE(Decode(Number(4, UINT64_MAX) + Text(1, "edge") + fixed32 +
                         Number(2, 1) + Text(15, std::string(600, 'x')) +
                         Number(3, 2) + fixed64,
                     &mark));
  ExpectSame(mark, Mark("edge", 1, 2));
}

TEST(Mark, AFieldOfAnotherTypeMakesItNoMark) {
  EXPECT_FALSE(IsMark(Number(1, 1)));
  EXPECT_FALSE(IsMark(Text(2, "1")));
  EXPECT_FALSE(IsMark(Text(3, "1")));
  EXPECT_FALSE(IsMark(Field(2, 5) + std::string(4, '\0')));
  for (int wire_type : {3, 4, 6, 7}) EXPECT_FALSE(IsMark(Field(2, wire_type)));
}

TEST(Mark, FieldNumberZeroMakesItNoMark) {
  EXPECT_FALSE(IsMark(Number(0, 1)));
  EXPECT_FALSE(IsMark(std::string(1, '\0')));
}

// The rest is not a name that could be shown.
TEST(Mark, AnOwnerEndsAtItsFirstNul) {
  rg_mark mark = {};
  ASSERT_TRUE(Decode(Text(1, std::string("ed\0ge", 5)), &mark));
  EXPECT_EQ(Owner(mark), "ed");
  ASSERT_TRUE(Decode(Text(1, std::string(100, '\0')), &mark));
  EXPECT_EQ(Owner(mark), "");
  ASSERT_TRUE(
      Decode(Text(1, std::string(RG_OWNER_MAX, 'x') + '\0' + "more"), &mark));
  EXPECT_EQ(Owner(mark), std::string(RG_OWNER_MAX, 'x'));
}

TEST(Mark, ANumberOfMoreThan32BitsIsCut) {
  rg_mark mark = {};
  ASSERT_TRUE(
      Decode(Number(2, UINT64_MAX) + Number(3, UINT64_C(1) << 32), &mark));
  ExpectSame(mark, Mark("", UINT32_MAX, 0));
}

TEST(Mark, ALengthThatLiesIsRefused) {
  for (uint64_t length : {UINT64_C(5), UINT64_C(0x7fffffff),
                          UINT64_C(0xffffffff), UINT64_MAX - 4, UINT64_MAX})
    EXPECT_FALSE(IsMark(Field(1, 2) + Varint(length) + "edge")) << length;
  EXPECT_FALSE(IsMark(Field(2, 0) + std::string(11, '\x80')));
}

// Each costs the decoder memory of its own, of which it has little.
TEST(Mark, ManyFieldsAreRefusedOrUsable) {
  const std::string parts[] = {Text(1, ""),
                               Text(1, "edge"),
                               Number(2, 1),
                               Number(15, 1),
                               Text(15, ""),
                               Text(15, "x"),
                               Text(1, std::string(RG_OWNER_MAX, 'x'))};
  for (const std::string &part : parts)
    for (size_t count = 1; count * part.size() <= 1100; count++)
      ExpectRefusedOrUsable(Repeat(part, count));
}

TEST(Mark, SixteenKibibytesOfOneByteAreRefused) {
  for (int byte = 0; byte < 256; byte++)
    EXPECT_FALSE(IsMark(std::string(16384, static_cast<char>(byte)))) << byte;
}

TEST(Mark, GarbageOfAnyLengthIsRefusedOrUsable) {
  Random random(1);
  for (int i = 0; i < 20000; i++) {
    // Short ones have the better chance to get far.
    const uint64_t most = random.OneIn(16)  ? 16384
                          : random.OneIn(4) ? 1024
                                            : 40;
    std::string bytes(random.Below(most + 1), '\0');
    for (char &byte : bytes) byte = static_cast<char>(random.Bits());
    ExpectRefusedOrUsable(bytes);
  }
}

// Well-formed to the last byte, so that the decoder goes all the way.
TEST(Mark, GarbageMadeOfFieldsIsRefusedOrUsable) {
  Random random(2);
  for (int i = 0; i < 20000; i++) {
    std::string bytes;
    for (uint64_t fields = random.Below(20); fields > 0; fields--) {
      const int field = 1 + static_cast<int>(random.Below(4));
      if (random.OneIn(2))
        bytes += Number(field == 1 ? 4 : field, random.Bits());
      else
        bytes += Text(field < 4 ? 1 : 4, std::string(random.Below(80), 'x'));
    }
    ExpectRefusedOrUsable(bytes);
  }
}

}  // namespace
