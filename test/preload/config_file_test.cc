// SPDX-License-Identifier: Apache-2.0
#include "preload/config_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace {

class ConfigFile : public testing::Test {
 protected:
  ConfigFile() { EXPECT_NE(mkdtemp(folder_), nullptr); }
  ~ConfigFile() override {
    unlink(path().c_str());
    rmdir(folder_);
  }

  std::string path() const { return std::string(folder_) + "/config"; }

  void Write(const std::string &text) {
    std::ofstream(path(), std::ios::binary) << text;
  }

  // The text, or why not.
  std::string Read(const std::string &path) {
    const char *why = nullptr;
    char *text = rg_config_file_read(path.c_str(), &why);
    std::string result = text != nullptr ? text : std::string("! ") + why;
    free(text);
    return result;
  }

 private:
  char folder_[32] = "/tmp/rg_config_file_XXXXXX";
};

TEST_F(ConfigFile, IsReadWhole) {
  Write("{ \"retryGuard\": {} }\n");
  EXPECT_EQ(Read(path()), "{ \"retryGuard\": {} }\n");
  Write("");
  EXPECT_EQ(Read(path()), "");
}

TEST_F(ConfigFile, MayBeLargeButNotAnySize) {
  const std::string largest(RG_CONFIG_FILE_MAX_BYTES, ' ');
  Write(largest);
  EXPECT_EQ(Read(path()), largest);
  Write(largest + " ");
  EXPECT_EQ(Read(path()), "! it is larger than 1 MiB");
}

TEST_F(ConfigFile, ThatCannotBeReadSaysWhy) {
  EXPECT_EQ(Read(path()), "! No such file or directory");
  EXPECT_EQ(Read("/"), "! Is a directory");
  EXPECT_EQ(Read("/dev/zero"), "! it is no regular file");
  Write(std::string("{}\0{}", 5));
  EXPECT_EQ(Read(path()), "! it is no text");
}

TEST_F(ConfigFile, IsNotWaitedFor) {
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  EXPECT_EQ(Read(path()), "! it is no regular file");
}

}  // namespace
