// SPDX-License-Identifier: Apache-2.0

// Service configs, checked by the public API.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/heap_count.h"
#include "retry_guard/retry_guard.h"

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Told {
  retry_guard_status status;
  std::vector<std::string> faults;
};

Told Check(const char *json) {
  Told told;
  auto tell = [](const retry_guard_fault *fault, void *arg) {
    static_cast<std::vector<std::string> *>(arg)->push_back(
        std::string(fault->is_error ? "error " : "warning ") + fault->path +
        ": " + fault->message);
  };
  told.status = retry_guard_check_service_config(json, tell, &told.faults);
  return told;
}

TEST(CheckServiceConfig, SaysNothingOfAGoodOne) {
  Told told = Check(
      R"({"retryGuard":{},"methodConfig":[{"name":[{"service":"shop.Ledger"}],
          "retryPolicy":{"maxAttempts":3,"initialBackoff":"0.1s",
          "maxBackoff":"1s","backoffMultiplier":2,
          "retryableStatusCodes":["UNAVAILABLE"]}}]})");
  EXPECT_EQ(told.status, RETRY_GUARD_OK);
  EXPECT_THAT(told.faults, IsEmpty());
}

TEST(CheckServiceConfig, NamesWhatIsWrongAndWhatIsAllowed) {
  Told told =
      Check(R"({"retryGuard":{"budget":{"tokenBucket":{"tokenRatio":1.5}}}})");
  EXPECT_EQ(told.status, RETRY_GUARD_INVALID_SERVICE_CONFIG);
  EXPECT_THAT(told.faults,
              ElementsAre("error retryGuard.budget.tokenBucket.tokenRatio: "
                          "must be in (0, 1], got 1.5"));
}

TEST(CheckServiceConfig, TellsErrorsBeforeWarnings) {
  Told told = Check(
      R"({"methodConfig":[{"name":[{}],"retryPolicy":{"maxAttempts":7,
          "initialBackoff":"0.1s","maxBackoff":"1s","backoffMultiplier":2,
          "retryableStatusCodes":["UNAVAILABLE"]}}],
          "retryGuard":{"mode":"MAYBE"}})");
  EXPECT_EQ(told.status, RETRY_GUARD_INVALID_SERVICE_CONFIG);
  ASSERT_EQ(told.faults.size(), 2u);
  EXPECT_EQ(told.faults[0].rfind("error retryGuard.mode: ", 0), 0u);
  EXPECT_EQ(told.faults[1].rfind(
                "warning methodConfig[0].retryPolicy.maxAttempts: ", 0),
            0u);
}

TEST(CheckServiceConfig, WarningsAreNoErrors) {
  Told told = Check(R"({"retry_guard":{}})");
  EXPECT_EQ(told.status, RETRY_GUARD_OK);
  EXPECT_EQ(told.faults.size(), 1u);
}

TEST(CheckServiceConfig, AFaultOfTheWholeHasNoPath) {
  Told told = Check("");
  EXPECT_EQ(told.status, RETRY_GUARD_INVALID_SERVICE_CONFIG);
  ASSERT_EQ(told.faults.size(), 1u);
  EXPECT_EQ(told.faults[0].rfind("error : ", 0), 0u) << told.faults[0];
}

TEST(CheckServiceConfig, NeedsTextButNobodyToTell) {
  EXPECT_EQ(retry_guard_check_service_config(nullptr, nullptr, nullptr),
            RETRY_GUARD_INVALID_ARGUMENT);
  EXPECT_EQ(retry_guard_check_service_config("{}", nullptr, nullptr),
            RETRY_GUARD_OK);
  EXPECT_EQ(retry_guard_check_service_config("[]", nullptr, nullptr),
            RETRY_GUARD_INVALID_SERVICE_CONFIG);
}

TEST(CheckServiceConfig, SaysWhenMemoryRanOut) {
  if (!rg_test::EmptyHeap::IsPossible()) GTEST_SKIP();
  retry_guard_status status;
  {
    const rg_test::EmptyHeap heap;
    status = retry_guard_check_service_config("{}", nullptr, nullptr);
  }
  EXPECT_EQ(status, RETRY_GUARD_OUT_OF_MEMORY);
}

}  // namespace
