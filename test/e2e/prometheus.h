// SPDX-License-Identifier: Apache-2.0

// A Prometheus of a test's own, and what it answers.
#ifndef RG_TEST_E2E_PROMETHEUS_H
#define RG_TEST_E2E_PROMETHEUS_H

#include <gtest/gtest.h>
#include <jansson.h>
#include <stdlib.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "e2e/free_address.h"
#include "metrics/http.h"
#include "support/eventually.h"
#include "support/process.h"

namespace rg_test {

struct FreeJson {
  void operator()(json_t *json) const { json_decref(json); }
};
using Json = std::unique_ptr<json_t, FreeJson>;

inline bool IsInstalled(const std::string &program) {
  return system(("command -v " + program + " >/dev/null").c_str()) == 0;
}

// The output of a shell command; its status, if it is not 0, is a failure.
inline std::string Shell(const std::string &command) {
  std::string out;
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  for (int c; (c = getc(pipe)) != EOF;) out.push_back(static_cast<char>(c));
  EXPECT_EQ(pclose(pipe), 0) << command << "\n" << out;
  return out;
}

// Between two questions of what it will answer before long.
inline constexpr std::chrono::milliseconds kPause(100);

// Scrapes `address` every second from its construction on.
class Prometheus {
 public:
  Prometheus(const std::string &folder, const std::string &address)
      : address_(FreeAddress()) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    const std::string config = folder + "/prometheus.yml";
    std::ofstream(config) << "global: {scrape_interval: 1s}\n"
                             "scrape_configs:\n"
                             "  - job_name: tier\n"
                             "    static_configs: [{targets: ['"
                          << address << "']}]\n";
    const std::string command = "exec prometheus --config.file='" + config +
                                "' --storage.tsdb.path='" + folder +
                                "/data' --web.listen-address=" + address_ +
                                " >'" + folder + "/log' 2>&1";
    const char *const argv[] = {"/bin/sh", "-c", command.c_str(), nullptr};
    EXPECT_TRUE(rg_process_start(&process_, argv));
    EXPECT_TRUE(Eventually(
        [&] {
          return Connection(address_).connected() &&
                 Get(address_, "/-/ready").status == 200;
        },
        kPause))
        << Shell("tail -n 5 '" + folder + "/log'");
  }
  Prometheus(const Prometheus &) = delete;
  ~Prometheus() { rg_process_stop(&process_, 20000); }

  // What the expression gives now: a list of samples.
  Json Query(const std::string &expression) const {
    std::string path = "/api/v1/query?query=";
    for (unsigned char c : expression) {
      char hex[4];
      snprintf(hex, sizeof hex, "%%%02X", c);
      path += hex;
    }
    Reply reply = Get(address_, path);
    EXPECT_EQ(reply.status, 200) << expression << "\n" << reply.body;
    Json answer(json_loads(reply.body.c_str(), 0, nullptr));
    return Json(json_incref(
        json_object_get(json_object_get(answer.get(), "data"), "result")));
  }

  // The one value that the expression has now; -1: it has none, or several.
  double Value(const std::string &expression) const {
    Json result = Query(expression);
    if (json_array_size(result.get()) != 1) return -1;
    json_t *value = json_object_get(json_array_get(result.get(), 0), "value");
    return strtod(json_string_value(json_array_get(value, 1)), nullptr);
  }

 private:
  rg_process process_ = {};
  std::string address_;
};

}  // namespace rg_test

#endif
