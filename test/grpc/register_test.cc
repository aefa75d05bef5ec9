// SPDX-License-Identifier: Apache-2.0

// Registration, its failures, and that a process lives on with each of them.
#include <dlfcn.h>
#include <grpc/grpc.h>
#include <gtest/gtest.h>

#include <atomic>

#include "grpc/client.h"
#include "grpc/guarded.h"
#include "grpc/process_life.h"
#include "grpc/server.h"
#include "support/race.h"

namespace {

// What the gRPC library of the process says it is; null: the truth.
const char *pretended_version = nullptr;

}  // namespace

// The program's own function comes before the library's.
const char *grpc_version_string() {
  if (pretended_version != nullptr) return pretended_version;
  using Function = const char *(*)();
  static const auto real =
      reinterpret_cast<Function>(dlsym(RTLD_NEXT, "grpc_version_string"));
  return real();
}

namespace rg_test {
namespace {

void ExpectSentence(retry_guard_status status, const char *sentence) {
  EXPECT_STREQ(retry_guard_status_string(status), sentence);
}

retry_guard_options Options() {
  retry_guard_options options;
  retry_guard_options_init(&options);
  return options;
}

TEST(Register, GuardsTheChannelsThatAreMadeAfterwards) {
  InAFreshProcess([] {
    EXPECT_EQ(retry_guard_register(nullptr), RETRY_GUARD_OK);
    ExpectGuarded();
  });
}

// Of a guard with `mode`, under a policy with a mode of its own.
void ExpectMarksWith(retry_guard_mode mode, const char *guard, uint64_t marks) {
  retry_guard_options options = Options();
  options.mode = mode;
  EXPECT_EQ(retry_guard_register(&options), RETRY_GUARD_OK);
  ExpectMarks(marks, guard);
}

TEST(Register, AModeComesBeforeThatOfThePolicies) {
  InAFreshProcess([] {
    ExpectMarksWith(RETRY_GUARD_MODE_ENFORCE, R"({"mode":"OFF"})", 2);
  });
  for (retry_guard_mode mode :
       {RETRY_GUARD_MODE_SHADOW, RETRY_GUARD_MODE_OFF}) {
    InAFreshProcess([=] { ExpectMarksWith(mode, R"({"mode":"ENFORCE"})", 0); });
  }
  InAFreshProcess([] {
    ExpectMarksWith(RETRY_GUARD_MODE_OF_POLICY, R"({"mode":"OFF"})", 0);
  });
}

TEST(Register, ComesTooLateAfterAChannel) {
  InAFreshProcess([] {
    grpc_init();
    Client client("127.0.0.1:1");
    retry_guard_status status = retry_guard_register(nullptr);
    EXPECT_EQ(status, RETRY_GUARD_TOO_LATE);
    ExpectSentence(status,
                   "gRPC was used before Retry Guard was registered; call "
                   "retry_guard_register at the start of main, before "
                   "grpc_init");
    EXPECT_EQ(retry_guard_register(nullptr), RETRY_GUARD_TOO_LATE);
    ExpectUnguarded();
    grpc_shutdown();
  });
}

TEST(Register, ComesTooLateWhenGrpcIsShutDownAgain) {
  InAFreshProcess([] {
    { Client client("127.0.0.1:1"); }
    EXPECT_EQ(retry_guard_register(nullptr), RETRY_GUARD_TOO_LATE);
    ExpectUnguarded();
  });
}

TEST(Register, RefusesASecondTimeAndKeepsTheFirst) {
  InAFreshProcess([] {
    EXPECT_EQ(retry_guard_register(nullptr), RETRY_GUARD_OK);
    retry_guard_options options = Options();
    options.accept_marks = false;
    for (int i = 0; i < 2; i++) {
      retry_guard_status status = retry_guard_register(&options);
      EXPECT_EQ(status, RETRY_GUARD_ALREADY_REGISTERED);
      ExpectSentence(status,
                     "Retry Guard is registered already; register it once per "
                     "process");
      ExpectGuarded();
    }
    EXPECT_EQ(ProcessStats().marks_stripped, 0u);
  });
}

TEST(Register, LetsOneOfManyThreadsWin) {
  InAFreshProcess([] {
    std::atomic<int> ok{0};
    std::atomic<int> already{0};
    Race(8, [&](int) {
      retry_guard_status status = retry_guard_register(nullptr);
      ok += status == RETRY_GUARD_OK;
      already += status == RETRY_GUARD_ALREADY_REGISTERED;
    });
    EXPECT_EQ(ok, 1);
    EXPECT_EQ(already, 7);
    ExpectGuarded();
  });
}

TEST(Register, RefusesAnotherGrpcVersion) {
  InAFreshProcess([] {
    pretended_version = "30.0.0";
    retry_guard_status status = retry_guard_register(nullptr);
    EXPECT_EQ(status, RETRY_GUARD_WRONG_GRPC_VERSION);
    ExpectSentence(status,
                   "this build of Retry Guard does not fit the gRPC library of "
                   "the process; build it against the installed gRPC");
    pretended_version = nullptr;
    ExpectUnguarded();
  });
}

TEST(Register, RefusesOptionsOfUnknownSize) {
  InAFreshProcess([] {
    for (size_t size : {size_t{0}, sizeof(retry_guard_options) - 1,
                        sizeof(retry_guard_options) + 8}) {
      retry_guard_options options = Options();
      options.size = size;
      retry_guard_status status = retry_guard_register(&options);
      EXPECT_EQ(status, RETRY_GUARD_INVALID_ARGUMENT);
      ExpectSentence(status,
                     "an argument is NULL, out of range, or a struct whose "
                     "size was not set");
    }
    ExpectUnguarded();
    EXPECT_EQ(retry_guard_register(nullptr), RETRY_GUARD_TOO_LATE);
  });
}

TEST(Register, RefusesALayerNameThatIsTooLongButNotTheNextTry) {
  InAFreshProcess([] {
    retry_guard_options options = Options();
    std::string name(65, 'n');
    options.layer_name = name.c_str();
    EXPECT_EQ(retry_guard_register(&options), RETRY_GUARD_INVALID_ARGUMENT);
    name.pop_back();
    options.layer_name = name.c_str();
    EXPECT_EQ(retry_guard_register(&options), RETRY_GUARD_OK);
    ExpectGuarded();
  });
}

TEST(Register, LeavesAProcessUnguardedWhoseLayerNameIsTooLong) {
  InAFreshProcess([] {
    retry_guard_options options = Options();
    std::string name(65, 'n');
    options.layer_name = name.c_str();
    EXPECT_EQ(retry_guard_register(&options), RETRY_GUARD_INVALID_ARGUMENT);
    ExpectUnguarded();
  });
}

TEST(Register, TheDefaultServiceConfigIsForChannelsThatBringNone) {
  InAFreshProcess([] {
    std::string config = Config().Guard(kUnlimited).Attempts(4).Json();
    retry_guard_options options = Options();
    options.default_service_config = config.c_str();
    EXPECT_EQ(retry_guard_register(&options), RETRY_GUARD_OK);
    config.assign(config.size(), ' ');  // it was copied
    Server server([&](rg_rpc_incoming *incoming) { Reply(incoming); });
    Client none(server.address());
    EXPECT_EQ(none.Call().status, GRPC_STATUS_UNAVAILABLE);
    EXPECT_EQ(server.attempts(), 4u);
    Client own(server.address(), Config().Guard("").Attempts(2).Json());
    EXPECT_EQ(own.Call().status, GRPC_STATUS_UNAVAILABLE);
    EXPECT_EQ(server.attempts(), 6u);
    EXPECT_EQ(own.Stats().calls, 1u);
    own.LetCallsOutlive();  // it has no filter of the guard, so it holds none
  });
}

TEST(Register, AnInvalidDefaultServiceConfigFailsCallsButNotTheProcess) {
  InAFreshProcess([] {
    retry_guard_options options = Options();
    options.default_service_config = "{";
    EXPECT_EQ(retry_guard_register(&options), RETRY_GUARD_OK);
    Server server([&](rg_rpc_incoming *incoming) { Reply(incoming, Ok()); });
    EXPECT_NE(Client(server.address()).Call().status, GRPC_STATUS_OK);
    Client own(server.address(), "{}");
    EXPECT_EQ(own.Call().status, GRPC_STATUS_OK);
  });
}

TEST(Register, NamesTheVersionsItWasBuiltFor) {
  EXPECT_STREQ(retry_guard_grpc_version_string(), "1.51.1");
  EXPECT_STREQ(retry_guard_version_string(), "0.1.0");
}

}  // namespace
}  // namespace rg_test
