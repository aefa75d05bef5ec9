// SPDX-License-Identifier: Apache-2.0

// A guarded channel to a server whose every step a test makes itself.
#ifndef RG_TEST_GRPC_RAW_TARGET_H
#define RG_TEST_GRPC_RAW_TARGET_H

#include <gtest/gtest.h>

#include "grpc/client.h"
#include "grpc/guarded.h"
#include "grpc/raw.h"

namespace rg_test {

class RawTarget : public Guarded {
 protected:
  // The target is the test's own; nothing may be left behind in its accounts.
  void ExpectSettled(uint64_t calls, uint64_t retries) {
    retry_guard_stats stats = client_.Stats();
    EXPECT_EQ(stats.calls, calls);
    EXPECT_EQ(stats.retries, retries);
    EXPECT_EQ(stats.attempts, calls + retries);
    EXPECT_EQ(stats.tokens_outstanding, 0u);
    EXPECT_EQ(stats.fail_open, 0u);
  }

  RawServer server_;
  Queue queue_;
  Client client_{server_.address(), Config().Guard(kUnlimited).Json()};
};

}  // namespace rg_test

#endif
