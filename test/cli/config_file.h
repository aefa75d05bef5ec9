// SPDX-License-Identifier: Apache-2.0

// A service config in a file of its own.
#ifndef RG_TEST_CLI_CONFIG_FILE_H
#define RG_TEST_CLI_CONFIG_FILE_H

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace rg_test {

class ConfigFile {
 public:
  explicit ConfigFile(const std::string &json) {
    char path[] = "/tmp/retry_guard_XXXXXX";
    int fd = mkstemp(path);
    EXPECT_GE(fd, 0);
    close(fd);
    path_ = path;
    std::ofstream(path_) << json;
  }
  ~ConfigFile() { std::remove(path_.c_str()); }
  ConfigFile(const ConfigFile &) = delete;
  ConfigFile &operator=(const ConfigFile &) = delete;

  const std::string &path() const { return path_; }

 private:
  std::string path_;
};

// One service, retried so often, with these members before it.
inline std::string RetryConfig(int attempts, const std::string &before) {
  return "{ " + before + R"( "methodConfig": [ {
    "name": [ { "service": "shop.Ledger" } ], "timeout": "5s",
    "retryPolicy": { "maxAttempts": )" +
         std::to_string(attempts) +
         R"(, "initialBackoff": "0.1s", "maxBackoff": "0.3s",
      "backoffMultiplier": 2, "retryableStatusCodes": [ "UNAVAILABLE" ] }
    } ] })";
}

constexpr char kGuard[] = R"("retryGuard": {},)";

}  // namespace rg_test

#endif
