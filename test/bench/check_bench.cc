// SPDX-License-Identifier: Apache-2.0

// How long `retry-guard check` takes for a config of so many methods, all of
// its work but reading the file: 5,000 methods are about a megabyte. The second
// column of the report is what matters, whether time grows with size and not
// faster.
#include <benchmark/benchmark.h>

#include <string>

#include "config/advice.h"
#include "config/service_config.h"

namespace {

std::string Config(int64_t methods) {
  std::string json = R"({"retryGuard": {}, "methodConfig": [)";
  for (int64_t i = 0; i < methods; i++) {
    const std::string number = std::to_string(i);
    json += std::string(i > 0 ? ",\n" : "\n") +
            R"({"name": [{"service": "shop.Service)" + number +
            R"(", "method": "Get"}], "timeout": "5s",
  "retryPolicy": {"maxAttempts": 4, "initialBackoff": "0.1s",
                  "maxBackoff": "2s", "backoffMultiplier": 1.5,
                  "retryableStatusCodes": ["UNAVAILABLE"]}})";
  }
  return json + "]}";
}

void Check(benchmark::State &state) {
  const std::string json = Config(state.range(0));
  for (auto _ : state) {
    rg_report report;
    rg_report_init(&report);
    rg_service_config *config =
        rg_service_config_read(json.data(), json.size(), &report);
    rg_advise(config, &report.warnings);
    if (!rg_faults_empty(&report.errors)) state.SkipWithError("not valid");
    rg_service_config_destroy(config);
    rg_report_clean_up(&report);
  }
  state.SetComplexityN(state.range(0));
  state.SetBytesProcessed(state.iterations() *
                          static_cast<int64_t>(json.size()));
}

}  // namespace

BENCHMARK(Check)
    ->Arg(625)
    ->Arg(1250)
    ->Arg(2500)
    ->Arg(5000)
    ->Arg(10000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity();
