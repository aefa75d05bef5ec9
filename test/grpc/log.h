// SPDX-License-Identifier: Apache-2.0

// What gRPC says in its log.
#ifndef RG_TEST_GRPC_LOG_H
#define RG_TEST_GRPC_LOG_H

#include <grpc/support/log.h>

#include <mutex>
#include <string>

namespace rg_test {

// Keeps what is logged while this lives; one at a time.
class Log {
 public:
  Log() {
    {
      std::lock_guard<std::mutex> lock(Mutex());
      Text().clear();
    }
    gpr_set_log_function(Keep);
  }
  ~Log() { gpr_set_log_function(nullptr); }

  static std::string Read() {
    std::lock_guard<std::mutex> lock(Mutex());
    return Text();
  }

 private:
  static void Keep(gpr_log_func_args *args) {
    std::lock_guard<std::mutex> lock(Mutex());
    Text() += std::string(args->message) + "\n";
  }
  static std::string &Text() {
    static std::string text;
    return text;
  }
  static std::mutex &Mutex() {
    static std::mutex mutex;
    return mutex;
  }
};

}  // namespace rg_test

#endif
