// SPDX-License-Identifier: Apache-2.0

// circuitBreaker.failureStatusCodes, the one list of the schema.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "config/found_faults.h"

namespace {

constexpr char kPath[] = "retryGuard.circuitBreaker.failureStatusCodes";

// gRPC's names of its status codes, by number.
constexpr const char *kNames[] = {
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
};
constexpr uint32_t kCount = sizeof kNames / sizeof kNames[0];

std::string With(const std::string &codes) {
  return R"({"circuitBreaker": {"failureStatusCodes": )" + codes + "}}";
}

std::string Quoted(uint32_t code) {
  return std::string("\"") + kNames[code] + "\"";
}

uint32_t Bits(const std::string &codes) {
  Block block(With(codes));
  EXPECT_EQ(block.faults(), Lines{}) << codes;
  rg_policy policy;
  rg_policy_resolve(block.get(), nullptr, &policy);
  return policy.breaker.failure_codes;
}

Lines FaultsIn(const std::string &codes) { return Block(With(codes)).faults(); }

// UNAVAILABLE, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, INTERNAL, UNKNOWN.
constexpr uint32_t kDefault = 1u << 14 | 1u << 4 | 1u << 8 | 1u << 13 | 1u << 2;

}  // namespace

TEST(PolicyCodes, EachNameIsItsNumbersBit) {
  for (uint32_t code = 1; code < kCount; code++) {
    EXPECT_EQ(Bits("[" + Quoted(code) + "]"), 1u << code) << code;
    EXPECT_EQ(Bits("[" + std::to_string(code) + "]"), 1u << code) << code;
  }
}

TEST(PolicyCodes, AllTogetherAreAllBitsButThatOfOk) {
  std::string all;
  for (uint32_t code = kCount - 1; code > 0; code--)
    all += (all.empty() ? "" : ", ") + Quoted(code);
  EXPECT_EQ(Bits("[" + all + "]"), (1u << kCount) - 2);
}

TEST(PolicyCodes, ReplaceTheDefault) {
  EXPECT_EQ(Bits(R"(["ABORTED"])"), 1u << 10);
  EXPECT_EQ(Bits(R"(["UNAVAILABLE", "ABORTED"])"), 1u << 14 | 1u << 10);
}

TEST(PolicyCodes, NoneMeanTheDefault) {
  for (const char *codes : {"[]", "null"})
    EXPECT_EQ(Bits(codes), kDefault) << codes;
}

TEST(PolicyCodes, OneGivenTwiceCountsOnce) {
  EXPECT_EQ(Bits(R"(["ABORTED", 10, "ABORTED"])"), 1u << 10);
}

TEST(PolicyCodes, OkIsNoFailure) {
  EXPECT_EQ(
      FaultsIn(R"(["OK"])"),
      Lines{std::string(kPath) + "[0]: cannot be OK, which is no failure"});
  EXPECT_EQ(
      FaultsIn(R"(["ABORTED", 0, "OK"])"),
      (Lines{std::string(kPath) + "[1]: cannot be OK, which is no failure",
             std::string(kPath) + "[2]: cannot be OK, which is no failure"}));
}

TEST(PolicyCodes, WhatIsNoCodeIsNamedWithItsPlace) {
  for (const char *wrong : {"\"NO_CODE\"", "\"aborted\"", "17", "-1", "true",
                            "null", "{}", "[]", "1.5"}) {
    const Lines faults = FaultsIn(std::string(R"(["ABORTED", )") + wrong + "]");
    ASSERT_EQ(faults.size(), 1u) << wrong;
    EXPECT_EQ(faults[0].rfind(std::string(kPath) + "[1]: ", 0), 0u)
        << faults[0];
  }
}

TEST(PolicyCodes, AreAList) {
  for (const char *wrong : {"\"ABORTED\"", "10", "{}", "true"}) {
    const Lines faults = FaultsIn(wrong);
    ASSERT_EQ(faults.size(), 1u) << wrong;
    EXPECT_EQ(faults[0].rfind(std::string(kPath) + ": ", 0), 0u) << faults[0];
  }
}
