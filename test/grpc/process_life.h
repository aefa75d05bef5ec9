// SPDX-License-Identifier: Apache-2.0

// What tests of a process's life need: whether its channels are guarded, and
// the shared library, loaded beside this program's own copy of the plugin.
#ifndef RG_TEST_GRPC_PROCESS_LIFE_H
#define RG_TEST_GRPC_PROCESS_LIFE_H

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "grpc/client.h"
#include "grpc/guarded.h"
#include "grpc/server.h"

namespace rg_test {

// One call whose first attempt fails, on a channel with `guard` for its
// `retryGuard`. Every attempt of a guarded call carries one mark.
inline void ExpectMarks(uint64_t marks, const char *guard = "{}") {
  std::atomic<uint64_t> seen{0};
  Server server([&](rg_rpc_incoming *incoming) {
    seen += rg_rpc_count(incoming->metadata, "retry-layer-bin");
    bool first = rg_rpc_previous_attempts(incoming->metadata) == 0;
    Reply(incoming, first ? Answer() : Ok());
  });
  Client client(server.address(), Config().Guard(guard).Json());
  EXPECT_EQ(client.Call().status, GRPC_STATUS_OK);
  EXPECT_EQ(server.attempts(), 2u);
  EXPECT_EQ(seen, marks);
}

inline void ExpectGuarded() { ExpectMarks(2); }
inline void ExpectUnguarded() { ExpectMarks(0); }

class Library {
 public:
  explicit Library(const std::string &path = RG_LIBRARY_PATH)
      : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) ADD_FAILURE() << dlerror();
  }

  retry_guard_status Register() const {
    return Find<decltype(retry_guard_register)>("retry_guard_register")(
        nullptr);
  }

  template <typename Function>
  Function *Find(const char *name) const {
    return reinterpret_cast<Function *>(dlsym(handle_, name));
  }

  void Close() { EXPECT_EQ(dlclose(handle_), 0); }

 private:
  void *handle_;
};

}  // namespace rg_test

#endif
