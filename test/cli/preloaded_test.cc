// SPDX-License-Identifier: Apache-2.0
#include "cli/preloaded.h"

#include <gtest/gtest.h>
#include <limits.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;

// An installation in a folder of its own.
class Preloaded : public testing::Test {
 protected:
  Preloaded() {
    char folder[] = "/tmp/rg_preloaded_XXXXXX";
    EXPECT_NE(mkdtemp(folder), nullptr);
    root_ = folder;
    fs::create_directories(root_ / "bin");
  }
  ~Preloaded() override {
    fs::remove_all(root_);
    unsetenv("LD_PRELOAD");
  }

  void PutInto(const fs::path &folder) {
    fs::create_directories(root_ / folder);
    std::ofstream(root_ / folder / RG_PRELOADED_NAME) << "a library";
  }

  // Where it is, seen from the root.
  std::string Find() {
    char path[PATH_MAX];
    std::string command = (root_ / "bin/retry-guard").string();
    if (!rg_preloaded_find(command.c_str(), path, sizeof path)) return "!";
    if (path[0] != '/') return path;
    return fs::path(path).lexically_normal().lexically_relative(root_);
  }

  std::string Add(const std::string &path) {
    const char *why = rg_preloaded_add(path.c_str());
    return why != nullptr ? std::string("! ") + why : getenv("LD_PRELOAD");
  }

  fs::path root_;
};

TEST_F(Preloaded, IsFoundBesideTheCommandFirst) {
  PutInto("bin");
  PutInto("lib");
  EXPECT_EQ(Find(), "bin/libretry_guard_preload.so");
}

TEST_F(Preloaded, IsFoundWhereLibrariesAreInstalled) {
  PutInto("lib");
  EXPECT_EQ(Find(), "lib/libretry_guard_preload.so");
}

TEST_F(Preloaded, IsLookedForByNameOtherwise) {
  EXPECT_EQ(Find(), "libretry_guard_preload.so");
}

TEST_F(Preloaded, WhosePathIsTooLongIsNotFound) {
  char path[8];
  EXPECT_FALSE(rg_preloaded_find("/bin/retry-guard", path, sizeof path));
}

TEST_F(Preloaded, ComesBeforeWhatIsPreloadedAlready) {
  EXPECT_EQ(Add("/a.so"), "/a.so");
  EXPECT_EQ(Add("/b.so"), "/b.so:/a.so");
  setenv("LD_PRELOAD", "", 1);
  EXPECT_EQ(Add("/c.so"), "/c.so");
}

TEST_F(Preloaded, CannotBeInAPathThatIsCutInTwo) {
  for (const char *path : {"/my lib/a.so", "/a:b/a.so"})
    EXPECT_EQ(Add(path),
              "! its path holds a space or a colon, which LD_PRELOAD cannot");
  EXPECT_EQ(getenv("LD_PRELOAD"), nullptr);
}

}  // namespace
