// SPDX-License-Identifier: Apache-2.0

// A service config that is read, and what was said about it.
#ifndef RG_TEST_CONFIG_READ_CONFIG_H
#define RG_TEST_CONFIG_READ_CONFIG_H

#include <string>
#include <utility>
#include <vector>

#include "config/advice.h"
#include "config/service_config.h"

namespace rg_test {

using Lines = std::vector<std::string>;

// Each "path: kind".
inline Lines KindsOf(const rg_faults &faults) {
  Lines lines;
  for (size_t i = 0; i < faults.count; i++)
    lines.push_back(std::string(faults.items[i].path) + ": " +
                    rg_fault_kind_name(faults.items[i].kind));
  return lines;
}

class ReadConfig {
 public:
  explicit ReadConfig(std::string json) : json_(std::move(json)) {
    rg_report_init(&report_);
    config_ = rg_service_config_read(json_.data(), json_.size(), &report_);
  }
  ~ReadConfig() {
    rg_service_config_destroy(config_);
    rg_report_clean_up(&report_);
  }
  ReadConfig(const ReadConfig &) = delete;
  ReadConfig &operator=(const ReadConfig &) = delete;

  ReadConfig &Advise() {
    rg_advise(config_, &report_.warnings);
    return *this;
  }

  const rg_service_config *get() const { return config_; }
  const rg_report &report() const { return report_; }
  rg_faults *all_warnings() { return &report_.warnings; }
  Lines errors() const { return KindsOf(report_.errors); }
  Lines warnings() const { return KindsOf(report_.warnings); }
  // What the first warning says.
  std::string message() const {
    return report_.warnings.count > 0 ? report_.warnings.items[0].message : "";
  }

 private:
  std::string json_;
  rg_report report_;
  rg_service_config *config_;
};

}  // namespace rg_test

#endif
