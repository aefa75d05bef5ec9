// SPDX-License-Identifier: Apache-2.0

// Many threads, short deadlines and a server that is bad half of the time: do
// the accounts of the guard still add up when it is over?
//
//   rg_stress [--judge] [CALLS]
//
// makes CALLS guarded calls (default 50,000), and as many that are not guarded,
// in turn. Fails when a call hangs, or when something is left behind; with
// --judge also when guarded calls miss their deadline by more than the others,
// which a busy machine can make them do.
//
// Deadlines are 1 to 6 ms, or as many times longer as this machine takes longer
// for a call, so that always some calls make it and some do not.
#include <algorithm>
#include <array>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "e2e/stress_caller.h"
#include "e2e/stress_report.h"
#include "e2e/stress_server.h"
#include "retry_guard/retry_guard.h"
#include "support/rpc_client.h"

namespace rg_test {
namespace {

constexpr int kThreads = 16;
// How many calls the server stays in one mood.
constexpr uint64_t kMoodCalls = 1000;
constexpr uint64_t kNsPerMs = 1000000;
constexpr uint64_t kPatienceNs = 30000 * kNsPerMs;

// A probe whose permit is lost would keep its breaker shut for an hour.
constexpr char kBreaker[] =
    R"("cooldown":"0.1s","minRequests":20,"window":"1s","failureRatio":0.3,
       "failureStatusCodes":["UNAVAILABLE","RESOURCE_EXHAUSTED"],
       "probes":1,"probeTimeout":"3600s")";

std::string ConfigOf(const std::string &members) {
  return "{" + members + R"("methodConfig":[{
      "name":[{"service":"retry_guard.test.Stress"}],
      "retryPolicy":{"maxAttempts":4,"initialBackoff":"0.001s",
        "maxBackoff":"0.002s","backoffMultiplier":1,
        "retryableStatusCodes":["UNAVAILABLE"]}}]})";
}

// What stands besides a breaker, which is the whole target's or so.
std::string Guard(const std::string &members, const std::string &scope) {
  return R"("retryGuard":{)" + members + R"("circuitBreaker":{"scope":")" +
         scope + "\"," + kBreaker + "}},";
}

class Target {
 public:
  Target(const std::string &uri, const std::string &members)
      : uri_(uri),
        channel_(rg_rpc_channel_new(uri.c_str(), ConfigOf(members).c_str(),
                                    nullptr)) {}
  ~Target() { rg_rpc_channel_destroy(channel_); }
  Target(const Target &) = delete;
  Target &operator=(const Target &) = delete;

  grpc_channel *grpc() const { return rg_rpc_channel_grpc(channel_); }
  const std::string &uri() const { return uri_; }

  retry_guard_stats Stats() const {
    retry_guard_stats stats{};
    stats.size = sizeof stats;
    retry_guard_stats_get(uri_.c_str(), &stats);
    return stats;
  }

 private:
  std::string uri_;
  rg_rpc_channel *channel_;
};

class Stress {
 public:
  explicit Stress(uint64_t calls) : wanted_(calls) {}
  Stress(const Stress &) = delete;
  Stress &operator=(const Stress &) = delete;

  void Run() {
    uint64_t unit_ns = MeasureUnit();
    uint64_t began = rg_rpc_now_ns();
    InParallel([&](int number) { Work(number, unit_ns); });
    std::printf("%" PRIu64 " guarded and %" PRIu64
                " plain calls by %d threads took %.1f s; their deadlines were "
                "%.1f to %.1f ms\n",
                guarded().calls, plain().calls, kThreads, Ms(began) / 1000,
                static_cast<double>(unit_ns) / kNsPerMs,
                static_cast<double>(6 * unit_ns) / kNsPerMs);
    // Some wait to cancel a call that has ended.
    rg_timers_rush(timers_.get());
    timers_.reset();
  }

  Outcomes plain() const { return Sum(plain_by_); }
  Outcomes guarded() const { return Sum(guarded_by_); }
  std::array<Target *, 3> targets() {
    return {&by_target_, &by_method_, &by_backend_};
  }

  // Whether a breaker opens now that everything fails.
  bool Opens(const Target &target) {
    server_.SetMood(StressServer::Mood::kDown);
    uint64_t before = target.Stats().breaker_opened;
    return CallUntil(target, Kind::kUnary, [&](grpc_status_code) {
      return target.Stats().breaker_opened > before;
    });
  }

  // Whether calls of all kinds succeed, ten in a row, now that nothing fails.
  bool Recovers(const Target &target) {
    server_.SetMood(StressServer::Mood::kFlawless);
    for (int kind = 0; kind < kKinds; kind++) {
      int good = 0;
      if (!CallUntil(target, static_cast<Kind>(kind),
                     [&](grpc_status_code status) {
                       good = status == GRPC_STATUS_OK ? good + 1 : 0;
                       return good == 10;
                     }))
        return false;
    }
    return true;
  }

 private:
  struct FreeTimers {
    void operator()(rg_timers *timers) const { rg_timers_destroy(timers); }
  };
  using ByThread = std::array<Outcomes, kThreads>;

  static double Ms(uint64_t since_ns) {
    return static_cast<double>(rg_rpc_now_ns() - since_ns) / kNsPerMs;
  }

  static Outcomes Sum(const ByThread &by_thread) {
    Outcomes sum;
    for (const Outcomes &one : by_thread) sum.Add(one);
    return sum;
  }

  template <typename Body>
  static void InParallel(Body body) {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; i++) threads.emplace_back(body, i);
    for (std::thread &thread : threads) thread.join();
  }

  // Calls patiently; false when `enough`, of the status, never holds.
  template <typename Enough>
  static bool CallUntil(const Target &target, Kind kind, Enough enough) {
    StressCaller caller(0, nullptr);
    Outcomes outcomes;
    CallPlan plan;
    plan.kind = kind;
    plan.timeout_ns = kPatienceNs;
    uint64_t give_up = rg_rpc_now_ns() + kPatienceNs;
    while (rg_rpc_now_ns() < give_up)
      if (enough(caller.Call(target.grpc(), plan, &outcomes))) return true;
    return false;
  }

  // Half of what a call takes while all threads call; connects, too.
  uint64_t MeasureUnit() {
    constexpr int kCalls = 20;
    for (Target *target : targets()) Recovers(*target);
    Recovers(plain_);
    uint64_t began = rg_rpc_now_ns();
    InParallel([&](int number) {
      int made = 0;
      CallUntil(plain_, static_cast<Kind>(number % kKinds),
                [&](grpc_status_code) { return ++made == kCalls; });
    });
    return std::max(kNsPerMs, (rg_rpc_now_ns() - began) / kCalls / 2);
  }

  void Work(int number, uint64_t unit_ns) {
    StressCaller caller(static_cast<uint64_t>(number) + 1, timers_.get());
    for (;;) {
      uint64_t n = begun_++;
      if (n >= wanted_) return;
      server_.SetMood(n / kMoodCalls % 2 == 1 ? StressServer::Mood::kBad
                                              : StressServer::Mood::kGood);
      CallPlan plan = caller.Plan(unit_ns);
      // In turn, so that both meet the same machine and the same server.
      caller.Call(targets()[n % targets().size()]->grpc(), plan,
                  &guarded_by_[number]);
      caller.Call(plain_.grpc(), plan, &plain_by_[number]);
    }
  }

  std::string Address() const {
    return "127.0.0.1:" + std::to_string(server_.port());
  }

  uint64_t wanted_;
  std::atomic<uint64_t> begun_{0};
  std::unique_ptr<rg_timers, FreeTimers> timers_{rg_timers_new()};
  StressServer server_;
  // Spelled differently, and so different targets.
  Target by_target_{Address(), Guard("", "TARGET")};
  Target by_method_{
      "ipv4:" + Address(),
      Guard(R"("deadline":{"attemptTimeout":"0.002s"},)", "METHOD")};
  Target by_backend_{
      "ipv4:///" + Address(),
      Guard(R"("budget":{"window":{"percent":50}},)", "BACKEND")};
  Target plain_{"dns:" + Address(), ""};
  ByThread plain_by_;
  ByThread guarded_by_;
};

int Main(uint64_t calls, bool judge) {
  retry_guard_options options;
  retry_guard_options_init(&options);
  if (retry_guard_register(&options) != RETRY_GUARD_OK) return EXIT_FAILURE;
  StressReport report;
  Stress stress(calls);
  stress.Run();
  report.Say("plain", stress.plain());
  report.Say("guarded", stress.guarded());
  if (judge) report.ExpectNoLater(stress.guarded(), stress.plain());
  for (Target *target : stress.targets()) {
    report.Say(target->uri(), target->Stats());
    report.Expect(stress.Opens(*target), target->uri() + ": never opens");
    report.Expect(stress.Recovers(*target),
                  target->uri() + ": never closes, as if a permit were lost");
    report.ExpectSettled(target->uri(), target->Stats());
  }
  if (!report.failed()) std::printf("nothing is left behind\n");
  return report.failed() ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace
}  // namespace rg_test

int main(int argc, char **argv) {
  uint64_t calls = 50000;
  bool judge = false;
  for (int i = 1; i < argc; i++) {
    if (std::strcmp(argv[i], "--judge") == 0)
      judge = true;
    else
      calls = std::strtoull(argv[i], nullptr, 10);
  }
  if (calls == 0) {
    std::fprintf(stderr, "Usage: rg_stress [--judge] [CALLS]\n");
    return 2;
  }
  return rg_test::Main(calls, judge);
}
