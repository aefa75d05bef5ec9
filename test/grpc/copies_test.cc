// SPDX-License-Identifier: Apache-2.0

// Several copies of the plugin in one process: the one in this program, and the
// shared library, which may lie about under several names.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "grpc/process_life.h"
#include "support/race.h"

namespace rg_test {
namespace {

// The shared library in a file of another name, for as long as it takes to load
// it.
Library Another() {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      ("libretry_guard_" + std::to_string(getpid()) + ".so");
  std::filesystem::copy_file(RG_LIBRARY_PATH, path);
  Library another(path);
  std::filesystem::remove(path);
  return another;
}

TEST(Copies, ALoadedLibraryGuardsTheProgram) {
  InAFreshProcess([] {
    EXPECT_EQ(Library().Register(), RETRY_GUARD_OK);
    ExpectGuarded();
  });
}

TEST(Copies, ALibraryThatIsClosedAgainStillGuards) {
  InAFreshProcess([] {
    Library library;
    EXPECT_EQ(library.Register(), RETRY_GUARD_OK);
    library.Close();
    ExpectGuarded();
  });
}

TEST(Copies, ALibraryThatIsClosedBeforeItRegistersChangesNothing) {
  InAFreshProcess([] {
    Library().Close();
    ExpectUnguarded();
  });
}

TEST(Copies, TheProgramsOwnStaysWhenALibraryComesLater) {
  InAFreshProcess([] {
    EXPECT_EQ(retry_guard_register(nullptr), RETRY_GUARD_OK);
    Library library;
    for (int i = 0; i < 2; i++)
      EXPECT_EQ(library.Register(), RETRY_GUARD_ALREADY_REGISTERED);
    ExpectGuarded();
  });
}

TEST(Copies, ALibraryStaysWhenTheProgramsOwnComesLater) {
  InAFreshProcess([] {
    EXPECT_EQ(Library().Register(), RETRY_GUARD_OK);
    for (int i = 0; i < 2; i++)
      EXPECT_EQ(retry_guard_register(nullptr), RETRY_GUARD_ALREADY_REGISTERED);
    ExpectGuarded();
  });
}

TEST(Copies, OfLibrariesUnderSeveralNamesTheFirstGuards) {
  InAFreshProcess([] {
    Library first = Another();
    Library second;
    EXPECT_EQ(first.Register(), RETRY_GUARD_OK);
    EXPECT_EQ(second.Register(), RETRY_GUARD_ALREADY_REGISTERED);
    second.Close();
    ExpectGuarded();
  });
}

TEST(Copies, ThatAreTooLateSaySo) {
  InAFreshProcess([] {
    EXPECT_EQ(retry_guard_register(nullptr), RETRY_GUARD_OK);
    ExpectGuarded();
    EXPECT_EQ(Library().Register(), RETRY_GUARD_TOO_LATE);
    ExpectGuarded();
  });
}

TEST(Copies, ThatRegisterAtTheSameTimeAgreeOnOne) {
  InAFreshProcess([] {
    Library first;
    Library second = Another();
    std::atomic<int> ok{0};
    std::atomic<int> already{0};
    Race(3, [&](int copy) {
      retry_guard_status status = copy == 0   ? first.Register()
                                  : copy == 1 ? second.Register()
                                              : retry_guard_register(nullptr);
      ok += status == RETRY_GUARD_OK;
      already += status == RETRY_GUARD_ALREADY_REGISTERED;
    });
    EXPECT_EQ(ok, 1);
    EXPECT_EQ(already, 2);
    ExpectGuarded();
  });
}

// The statistics are with the copy that guards.
TEST(Copies, ThatStayOutKnowNoTarget) {
  InAFreshProcess([] {
    EXPECT_EQ(Library().Register(), RETRY_GUARD_OK);
    EXPECT_EQ(retry_guard_register(nullptr), RETRY_GUARD_ALREADY_REGISTERED);
    Server server([](rg_rpc_incoming *incoming) { Reply(incoming, Ok()); });
    Client client(server.address(), Config().Json());
    EXPECT_EQ(client.Call().status, GRPC_STATUS_OK);
    retry_guard_stats stats{};
    stats.size = sizeof stats;
    EXPECT_EQ(retry_guard_stats_get(server.address(), &stats),
              RETRY_GUARD_NOT_FOUND);
    auto *get = Library().Find<decltype(retry_guard_stats_get)>(
        "retry_guard_stats_get");
    EXPECT_EQ(get(server.address(), &stats), RETRY_GUARD_OK);
    EXPECT_EQ(stats.calls, 1u);
  });
}

}  // namespace
}  // namespace rg_test
