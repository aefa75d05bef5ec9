// SPDX-License-Identifier: Apache-2.0

// A scenario that is read, and what was said about it.
#ifndef RG_TEST_SIM_READ_SCENARIO_H
#define RG_TEST_SIM_READ_SCENARIO_H

#include <string>
#include <vector>

#include "sim/scenario.h"

namespace rg_test {

using Lines = std::vector<std::string>;

class ReadScenario {
 public:
  explicit ReadScenario(const std::string &json) {
    rg_report_init(&report_);
    scenario_ = rg_scenario_read(json.data(), json.size(), &report_);
  }
  ~ReadScenario() {
    rg_scenario_destroy(scenario_);
    rg_report_clean_up(&report_);
  }
  ReadScenario(const ReadScenario &) = delete;
  ReadScenario &operator=(const ReadScenario &) = delete;

  rg_scenario *get() const { return scenario_; }
  const rg_scenario *operator->() const { return scenario_; }
  Lines errors() const { return LinesOf(report_.errors); }
  Lines warnings() const { return LinesOf(report_.warnings); }

 private:
  // Each "path: message".
  static Lines LinesOf(const rg_faults &faults) {
    Lines lines;
    for (size_t i = 0; i < faults.count; i++)
      lines.push_back(std::string(faults.items[i].path) + ": " +
                      faults.items[i].message);
    return lines;
  }

  rg_report report_;
  rg_scenario *scenario_;
};

}  // namespace rg_test

#endif
