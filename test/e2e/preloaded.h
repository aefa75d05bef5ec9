// SPDX-License-Identifier: Apache-2.0

// Programs that know nothing of the guard, run with it.
#ifndef RG_TEST_E2E_PRELOADED_H
#define RG_TEST_E2E_PRELOADED_H

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/config_file.h"
#include "e2e/tiers.h"

using Arguments = std::vector<std::string>;

// Five attempts a call under a guard without breaker, `guard` being what its
// block holds beside that.
inline std::string FiveAttempts(const std::string &guard = "") {
  return R"({"retryGuard":{)" + guard +
         R"("circuitBreaker":{"disabled":true}},
        "methodConfig":[{"name":[{"service":"retry_guard.test.Echo"}],
        "retryPolicy":{"maxAttempts":5,"initialBackoff":"0.01s",
        "maxBackoff":"0.01s","backoffMultiplier":1,
        "retryableStatusCodes":["UNAVAILABLE"]}}]})";
}

inline constexpr char kUnlimited[] = R"("budget":{"disabled":true},)";

// The command line after `retry-guard`.
inline Arguments RunArguments(const Arguments &options,
                              const Arguments &program) {
  Arguments all = {"run"};
  all.insert(all.end(), options.begin(), options.end());
  all.push_back("--");
  all.insert(all.end(), program.begin(), program.end());
  return all;
}

inline rg_test::Outcome RunGuarded(const Arguments &options,
                                   const Arguments &program) {
  return rg_test::RunCommand(RunArguments(options, program));
}

#endif
