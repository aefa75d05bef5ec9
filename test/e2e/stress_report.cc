// SPDX-License-Identifier: Apache-2.0
#include "e2e/stress_report.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "support/rpc.h"

namespace rg_test {

Lateness::Lateness(const Outcomes &outcomes) {
  std::vector<uint64_t> late = outcomes.late_ns;
  std::sort(late.begin(), late.end());
  size_t in_time = outcomes.calls - late.size();
  auto at = [&](double share) {
    auto rank =
        static_cast<size_t>(share * static_cast<double>(outcomes.calls - 1));
    if (rank < in_time) return 0.0;
    return static_cast<double>(late[rank - in_time]) / 1e6;
  };
  half = at(0.5);
  most = at(0.99);
  nearly_all = at(0.999);
  worst = at(1);
}

void StressReport::Say(const char *name, const Outcomes &outcomes) const {
  std::printf("%s:", name);
  for (size_t i = 0; i < outcomes.by_status.size(); i++)
    if (outcomes.by_status[i] > 0)
      std::printf(" %s %" PRIu64,
                  rg_rpc_status_name(static_cast<grpc_status_code>(i)),
                  outcomes.by_status[i]);
  Lateness late(outcomes);
  std::printf("; ms late: 50 %% %.1f, 99 %% %.1f, 99.9 %% %.1f, worst %.1f\n",
              late.half, late.most, late.nearly_all, late.worst);
}

void StressReport::Say(const std::string &target,
                       const retry_guard_stats &stats) const {
  std::printf(
      "%s: calls %" PRIu64 ", attempts %" PRIu64 ", retries %" PRIu64
      ", transparent %" PRIu64 "; breakers opened %" PRIu64 ", closed %" PRIu64
      ", probed %" PRIu64 ", rejected %" PRIu64 ", too late %" PRIu64 "\n",
      target.c_str(), stats.calls, stats.attempts, stats.retries,
      stats.transparent_retries, stats.breaker_opened, stats.breaker_closed,
      stats.breaker_probes, stats.breaker_rejections, stats.breaker_stale);
}

void StressReport::Expect(bool holds, const std::string &what) {
  if (holds) return;
  failed_ = true;
  std::printf("FAILED: %s\n", what.c_str());
}

void StressReport::ExpectSettled(const std::string &target,
                                 const retry_guard_stats &stats) {
  Expect(stats.attempts == stats.calls + stats.retries,
         target + ": attempts are not calls and retries");
  Expect(stats.tokens_outstanding == 0, target + ": tokens are out");
  Expect(stats.fail_open == 0, target + ": the guard failed itself");
}

void StressReport::ExpectNoLater(const Outcomes &guarded,
                                 const Outcomes &plain) {
  Lateness ours(guarded), theirs(plain);
  Expect(ours.most <= 2 * theirs.most + 5,
         "of guarded calls 1 % is later than of plain ones");
  Expect(ours.worst <= 2 * theirs.worst + 50,
         "one guarded call is later than any plain one");
}

}  // namespace rg_test
