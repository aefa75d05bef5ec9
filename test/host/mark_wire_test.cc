// SPDX-License-Identifier: Apache-2.0

// Marks are written and mostly read by hand; protobuf-c must agree.
#include <gtest/gtest.h>

#include <string>

#include "host/mark.h"
#include "retry_guard/v1/layer_mark.pb-c.h"
#include "support/random.h"

namespace {

using rg_test::Random;

std::string ByHand(const rg_mark &mark) {
  uint8_t bytes[RG_MARK_MAX_BYTES];
  const size_t length = rg_mark_encode(&mark, bytes);
  return std::string(reinterpret_cast<const char *>(bytes), length);
}

std::string ByProtobuf(const rg_mark &mark) {
  std::string owner(mark.owner, mark.owner_length);
  RetryGuard__V1__LayerMark message = RETRY_GUARD__V1__LAYER_MARK__INIT;
  message.owner = &owner[0];
  message.hops = mark.hops;
  message.attempt = mark.attempt;
  std::string bytes(retry_guard__v1__layer_mark__get_packed_size(&message), 0);
  retry_guard__v1__layer_mark__pack(&message,
                                    reinterpret_cast<uint8_t *>(&bytes[0]));
  return bytes;
}

uint32_t AnyNumber(Random *random) {
  return static_cast<uint32_t>(random->Below(UINT64_C(1) << 32)) >>
         random->Below(32);
}

rg_mark AnyMark(Random *random) {
  rg_mark mark = {};
  mark.hops = random->OneIn(3) ? 0 : AnyNumber(random);
  mark.attempt = random->OneIn(3) ? 1 : AnyNumber(random);
  mark.owner_length = static_cast<uint8_t>(random->Below(RG_OWNER_MAX + 1));
  for (int i = 0; i < mark.owner_length; i++)
    mark.owner[i] = static_cast<char>('a' + random->Below(26));
  return mark;
}

TEST(MarkWire, IsWhatProtobufWrites) {
  Random random(1);
  for (int i = 0; i < 10000; i++) {
    const rg_mark mark = AnyMark(&random);
    ASSERT_EQ(ByHand(mark), ByProtobuf(mark));
  }
}

TEST(MarkWire, IsReadBack) {
  Random random(2);
  for (int i = 0; i < 10000; i++) {
    const rg_mark mark = AnyMark(&random);
    const std::string bytes = ByProtobuf(mark);
    rg_mark read = {};
    ASSERT_TRUE(rg_mark_decode(bytes.data(), bytes.size(), &read));
    ASSERT_EQ(read.hops, mark.hops);
    ASSERT_EQ(read.attempt, mark.attempt);
    ASSERT_EQ(std::string(read.owner, read.owner_length),
              std::string(mark.owner, mark.owner_length));
  }
}

// Cut off, or with a bit flipped: no mark is read otherwise than protobuf-c
// reads it.
TEST(MarkWire, IsNeverReadOtherwiseThanByProtobuf) {
  Random random(3);
  for (int i = 0; i < 20000; i++) {
    std::string bytes = ByProtobuf(AnyMark(&random));
    if (bytes.empty()) continue;
    if (random.OneIn(2)) bytes.resize(random.Below(bytes.size()));
    if (!bytes.empty())
      bytes[random.Below(bytes.size())] ^=
          static_cast<char>(1 << random.Below(8));
    rg_mark read = {};
    const bool is_mark = rg_mark_decode(bytes.data(), bytes.size(), &read);
    RetryGuard__V1__LayerMark *message = retry_guard__v1__layer_mark__unpack(
        nullptr, bytes.size(), reinterpret_cast<const uint8_t *>(bytes.data()));
    if (message == nullptr) {
      ASSERT_FALSE(is_mark);
      continue;
    }
    const std::string owner = message->owner;
    ASSERT_EQ(is_mark, owner.size() <= RG_OWNER_MAX);
    if (is_mark) {
      ASSERT_EQ(std::string(read.owner, read.owner_length), owner);
      ASSERT_EQ(read.hops, message->hops);
      ASSERT_EQ(read.attempt, message->attempt);
    }
    retry_guard__v1__layer_mark__free_unpacked(message, nullptr);
  }
}

}  // namespace
