// SPDX-License-Identifier: Apache-2.0

// Runs one of gRPC's own retry tests with the plugin, and fails too when the
// guard did not take part in it.
// Usage: rg_upstream_<fixture> TEST inert|shadow|enforce [BLOCK]
//   TEST   its name, such as retry_streaming
//   BLOCK  the `retryGuard` block for every channel
#include <cstdlib>
#include <iostream>
#include <string>

#include "grpc/upstream/judge.h"
#include "grpc/upstream/watch.h"
#include "retry_guard/retry_guard.h"
#include "test/core/end2end/end2end_tests.h"

// The fixture's program. It asks back for the tests.
int FixtureMain(int argc, char **argv);

// all_tests.inc has RG_UPSTREAM_TEST(name) for each.
#define RG_UPSTREAM_TEST(name)                \
  void name(grpc_end2end_test_config config); \
  void name##_pre_init(void);
#include "all_tests.inc"
#undef RG_UPSTREAM_TEST

namespace {

struct Test {
  std::string name;
  void (*run)(grpc_end2end_test_config config);
  void (*pre_init)(void);
};

const Test kTests[] = {
#define RG_UPSTREAM_TEST(name) {#name, name, name##_pre_init},
#include "all_tests.inc"
#undef RG_UPSTREAM_TEST
};

const Test *chosen;

[[noreturn]] void RefuseArguments() {
  std::cerr << "usage: TEST inert|shadow|enforce [BLOCK]\n";
  std::exit(2);
}

const Test *TestOf(const std::string &name) {
  for (const Test &test : kTests)
    if (test.name == name) return &test;
  RefuseArguments();
}

rg_test::Role RoleOf(const std::string &name) {
  if (name == "inert") return rg_test::Role::kInert;
  if (name == "shadow") return rg_test::Role::kShadow;
  if (name == "enforce") return rg_test::Role::kEnforce;
  RefuseArguments();
}

}  // namespace

void grpc_end2end_tests_pre_init(void) {
  for (const Test &test : kTests) test.pre_init();
}

void grpc_end2end_tests(int, char **, grpc_end2end_test_config config) {
  chosen->run(config);
}

// For AddressSanitizer: c-ares, which looks "localhost" up, leaks ten bytes.
extern "C" RETRY_GUARD_API const char *__lsan_default_suppressions();
const char *__lsan_default_suppressions() { return "leak:libcares"; }

int main(int argc, char **argv) {
  if (argc < 3) RefuseArguments();
  chosen = TestOf(argv[1]);
  rg_test::Role role = RoleOf(argv[2]);
  rg_test::StartWatching(argc > 3 ? argv[3] : "");
  int status = FixtureMain(1, argv);
  bool good = rg_test::Judge(chosen->name, role, rg_test::StopWatching());
  return good ? status : 1;
}
