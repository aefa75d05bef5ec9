// SPDX-License-Identifier: Apache-2.0

// The shared library in a program that has nothing of gRPC.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>

#include "retry_guard/retry_guard.h"

namespace {

template <typename Function>
Function *Find(void *library, const char *name) {
  return reinterpret_cast<Function *>(dlsym(library, name));
}

std::ptrdiff_t Threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

// One test, since what is loaded stays.
TEST(Load, BringsItsOwnGrpcAndStaysInTheProcess) {
  ASSERT_EQ(dlsym(RTLD_DEFAULT, "grpc_init"), nullptr);
  std::ptrdiff_t threads = Threads();
  void *library = dlopen(RG_LIBRARY_PATH, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  EXPECT_EQ(Threads(), threads);

  auto *reg =
      Find<decltype(retry_guard_register)>(library, "retry_guard_register");
  EXPECT_EQ(reg(nullptr), RETRY_GUARD_OK);
  EXPECT_EQ(reg(nullptr), RETRY_GUARD_ALREADY_REGISTERED);
  EXPECT_EQ(Threads(), threads);

  auto *init = Find<void()>(library, "grpc_init");
  auto *shutdown = Find<void()>(library, "grpc_shutdown_blocking");
  ASSERT_NE(init, nullptr);
  EXPECT_EQ(dlclose(library), 0);
  ASSERT_NE(dlopen(RG_LIBRARY_PATH, RTLD_NOW | RTLD_NOLOAD), nullptr);
  init();
  shutdown();
  EXPECT_EQ(reg(nullptr), RETRY_GUARD_ALREADY_REGISTERED);
}

}  // namespace
