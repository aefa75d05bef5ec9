// SPDX-License-Identifier: Apache-2.0

// Forks, and gRPC that comes and goes.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "grpc/process_life.h"

namespace rg_test {
namespace {

void InAChild(const std::function<void()> &body) {
  pid_t child = fork();
  if (child == 0) {
    body();
    PrintFailures();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Fork, AChildRegistersForItself) {
  InAFreshProcess([] {
    InAChild([] {
      EXPECT_EQ(retry_guard_register(nullptr), RETRY_GUARD_OK);
      ExpectGuarded();
    });
    ExpectUnguarded();
    EXPECT_EQ(retry_guard_register(nullptr), RETRY_GUARD_TOO_LATE);
  });
}

TEST(Fork, AChildHasTheRegistrationOfItsParent) {
  InAFreshProcess([] {
    EXPECT_EQ(retry_guard_register(nullptr), RETRY_GUARD_OK);
    for (int i = 0; i < 2; i++)
      InAChild([] {
        EXPECT_EQ(retry_guard_register(nullptr),
                  RETRY_GUARD_ALREADY_REGISTERED);
        ExpectGuarded();
      });
    ExpectGuarded();
  });
}

TEST(Fork, AChildOfAChildHasItToo) {
  InAFreshProcess([] {
    EXPECT_EQ(retry_guard_register(nullptr), RETRY_GUARD_OK);
    InAChild([] { InAChild(ExpectGuarded); });
  });
}

TEST(Fork, TheCountersOfAChildAreItsOwn) {
  InAFreshProcess([] {
    EXPECT_EQ(retry_guard_register(nullptr), RETRY_GUARD_OK);
    InAChild([] {
      ExpectGuarded();
      EXPECT_EQ(ProcessStats().marks_accepted, 2u);
    });
    EXPECT_EQ(ProcessStats().marks_accepted, 0u);
  });
}

TEST(Shutdown, TheRegistrationOutlivesGrpc) {
  InAFreshProcess([] {
    EXPECT_EQ(retry_guard_register(nullptr), RETRY_GUARD_OK);
    for (int i = 0; i < 3; i++) {
      grpc_init();
      ExpectGuarded();
      grpc_shutdown_blocking();
      // A thread of gRPC's own may still drop the last reference.
      EXPECT_TRUE(Eventually([] { return grpc_is_initialized() == 0; }));
    }
  });
}

}  // namespace
}  // namespace rg_test
