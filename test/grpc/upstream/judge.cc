// SPDX-License-Identifier: Apache-2.0
#include "grpc/upstream/judge.h"

#include <algorithm>
#include <iostream>
#include <iterator>

namespace rg_test {

namespace {

// What the guard finds in a test with a policy that permits everything.
struct Expected {
  const char *test;
  uint64_t retries;      // all of them
  uint64_t undecided;    // those that gRPC began without asking
  uint64_t transparent;  // those that no server saw
};

// The tests in which there are any.
constexpr Expected kExpected[] = {
    {"retry", 1, 0, 0},
    {"retry_cancellation", 2, 0, 0},
    {"retry_exceeds_buffer_size_in_delay", 1, 0, 0},
    {"retry_per_attempt_recv_timeout", 2, 1, 0},
    {"retry_per_attempt_recv_timeout_on_last_attempt", 1, 1, 0},
    {"retry_recv_message_replay", 1, 0, 0},
    {"retry_send_initial_metadata_refs", 1, 0, 0},
    {"retry_send_op_fails", 1, 0, 0},
    {"retry_server_pushback_delay", 1, 0, 0},
    {"retry_server_pushback_disabled", 1, 0, 0},
    {"retry_streaming", 1, 0, 0},
    {"retry_streaming_succeeds_before_replay_finished", 1, 0, 0},
    {"retry_too_many_attempts", 1, 0, 0},
    {"retry_transparent_goaway", 0, 0, 1},
    {"retry_transparent_max_concurrent_streams", 0, 0, 1},
    {"retry_transparent_not_sent_on_wire", 0, 0, 10},
};

// The tests in which no attempt gets as far as to a connection: load balancing
// fails, or the application cancels first.
constexpr const char *kWithoutAttempts[] = {
    "retry_cancel_after_first_attempt_starts",
    "retry_lb_drop",
    "retry_lb_fail",
};

// The one in which the server itself stops a retry.
constexpr char kStoppedByServer[] = "retry_server_pushback_disabled";

Expected ExpectedOf(const std::string &test) {
  for (const Expected &expected : kExpected)
    if (test == expected.test) return expected;
  return {"", 0, 0, 0};
}

bool HasAttempts(const std::string &test) {
  return std::find(std::begin(kWithoutAttempts), std::end(kWithoutAttempts),
                   test) == std::end(kWithoutAttempts);
}

class Findings {
 public:
  void Equal(const char *what, uint64_t found, uint64_t expected) {
    if (found != expected) Fault(what, found, "", expected);
  }
  void AtLeast(const char *what, uint64_t found, uint64_t expected) {
    if (found < expected) Fault(what, found, "at least ", expected);
  }
  bool None() const { return none_; }

 private:
  void Fault(const char *what, uint64_t found, const char *bound,
             uint64_t expected) {
    std::cout << "fault: " << what << ": " << found << ", expected " << bound
              << expected << "\n";
    none_ = false;
  }

  bool none_ = true;
};

void Print(const Seen &seen) {
  std::cout << "stacks: " << seen.client_channels << " client, "
            << seen.subchannels << " subchannel, " << seen.server_channels
            << " server, " << seen.without_filter << " without the guard\n"
            << "guard: " << seen.guarded_targets << " targets, " << seen.calls
            << " calls, " << seen.attempts << " attempts, " << seen.retries
            << " retries (" << seen.undecided_retries << " undecided), "
            << seen.transparent_retries << " transparent, " << seen.stops
            << " stops, " << seen.rejected_retries << " rejected, "
            << seen.tokens_outstanding << " tokens outstanding, "
            << seen.fail_open << " failed open\n";
}

void JudgeShadow(const Expected &expected, const Seen &seen,
                 Findings *findings) {
  findings->Equal("retries", seen.retries, 0);
  findings->AtLeast("stops and rejected retries",
                    seen.stops + seen.rejected_retries, expected.retries > 0);
}

void JudgeEnforce(const std::string &test, const Expected &expected,
                  const Seen &seen, Findings *findings) {
  findings->Equal("retries", seen.retries, expected.retries);
  findings->Equal("undecided", seen.undecided_retries, expected.undecided);
  findings->Equal("transparent", seen.transparent_retries,
                  expected.transparent);
  findings->Equal("stops", seen.stops, test == kStoppedByServer);
  findings->Equal("rejected", seen.rejected_retries, 0);
}

}  // namespace

bool Judge(const std::string &test, Role role, const Seen &seen) {
  Findings findings;
  Expected expected = ExpectedOf(test);
  Print(seen);
  // A channel that can get no policy has no call filter, but its attempts have.
  bool inert = role == Role::kInert;
  findings.AtLeast("client stacks", seen.client_channels, inert ? 0 : 1);
  findings.AtLeast("client stacks without the guard", seen.without_filter,
                   inert ? 1 : 0);
  findings.AtLeast("subchannel stacks", seen.subchannels, HasAttempts(test));
  findings.AtLeast("server stacks", seen.server_channels, HasAttempts(test));
  if (!inert) findings.Equal("without the guard", seen.without_filter, 0);
  findings.Equal("attempts", seen.attempts, seen.calls + seen.retries);
  findings.Equal("tokens outstanding", seen.tokens_outstanding, 0);
  findings.Equal("failed open", seen.fail_open, 0);
  if (inert) {
    findings.Equal("guarded targets", seen.guarded_targets, 0);
    return findings.None();
  }
  findings.AtLeast("guarded targets", seen.guarded_targets, 1);
  findings.AtLeast("calls", seen.calls, HasAttempts(test));
  if (role == Role::kShadow)
    JudgeShadow(expected, seen, &findings);
  else
    JudgeEnforce(test, expected, seen, &findings);
  return findings.None();
}

}  // namespace rg_test
