// SPDX-License-Identifier: Apache-2.0

// What is said of a stress, on standard output.
//
// Threads: one.
#ifndef RG_TEST_E2E_STRESS_REPORT_H
#define RG_TEST_E2E_STRESS_REPORT_H

#include <string>

#include "e2e/stress_caller.h"
#include "retry_guard/retry_guard.h"

namespace rg_test {

// By how much calls missed their deadlines, of all calls; milliseconds.
struct Lateness {
  explicit Lateness(const Outcomes &outcomes);
  double half, most, nearly_all, worst;  // 50 %, 99 %, 99.9 %, 100 %
};

class StressReport {
 public:
  void Say(const char *name, const Outcomes &outcomes) const;
  void Say(const std::string &target, const retry_guard_stats &stats) const;

  // Remembers, and says, what does not hold.
  void Expect(bool holds, const std::string &what);
  // The accounts of a target at rest.
  void ExpectSettled(const std::string &target, const retry_guard_stats &stats);
  // Only a calm machine is fair to both.
  void ExpectNoLater(const Outcomes &guarded, const Outcomes &plain);

  bool failed() const { return failed_; }

 private:
  bool failed_ = false;
};

}  // namespace rg_test

#endif
