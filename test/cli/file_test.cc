// SPDX-License-Identifier: Apache-2.0
#include "cli/file.h"

#include <gtest/gtest.h>
#include <stdio.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

class File : public testing::Test {
 protected:
  File() {
    char name[] = "/tmp/rg-file-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~File() override {
    rg_file_clean_up(&file_);
    std::filesystem::remove_all(folder_);
  }

  std::string Path(const std::string &text) const {
    std::string path = folder_ + "/config.json";
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  std::string Bytes() const { return {file_.bytes, file_.length}; }

  std::string folder_;
  rg_file file_{};
};

TEST_F(File, IsReadAsItIs) {
  std::string text("{\n\0\xff}", 5);
  EXPECT_EQ(rg_file_read(Path(text).c_str(), &file_), nullptr);
  EXPECT_EQ(Bytes(), text);
  EXPECT_EQ(file_.bytes[file_.length], '\0');
}

TEST_F(File, MayBeEmpty) {
  EXPECT_EQ(rg_file_read(Path("").c_str(), &file_), nullptr);
  EXPECT_EQ(file_.length, 0u);
  EXPECT_STREQ(file_.bytes, "");
}

TEST_F(File, MayBeLong) {
  for (size_t size : {65535u, 65536u, 65537u, 1000000u}) {
    std::string text(size, 'x');
    EXPECT_EQ(rg_file_read(Path(text).c_str(), &file_), nullptr);
    EXPECT_EQ(Bytes(), text);
    rg_file_clean_up(&file_);
  }
}

TEST_F(File, HasABound) {
  std::string path = Path("");
  std::filesystem::resize_file(path, RG_FILE_MAX_BYTES);
  EXPECT_EQ(rg_file_read(path.c_str(), &file_), nullptr);
  EXPECT_EQ(file_.length, RG_FILE_MAX_BYTES);
  rg_file_clean_up(&file_);
  std::filesystem::resize_file(path, RG_FILE_MAX_BYTES + 1);
  EXPECT_STREQ(rg_file_read(path.c_str(), &file_), "it is larger than 64 MiB");
  EXPECT_EQ(file_.bytes, nullptr);
}

TEST_F(File, ThatNeverEndsIsRefused) {
  EXPECT_STREQ(rg_file_read("/dev/zero", &file_), "it is larger than 64 MiB");
}

TEST_F(File, SaysWhyItCannotBeRead) {
  EXPECT_STREQ(rg_file_read((folder_ + "/none").c_str(), &file_),
               "No such file or directory");
  EXPECT_STREQ(rg_file_read(folder_.c_str(), &file_), "Is a directory");
  EXPECT_EQ(file_.bytes, nullptr);
  EXPECT_EQ(file_.length, 0u);
}

TEST_F(File, NamedByADashIsStandardInput) {
  ASSERT_NE(freopen(Path("{}").c_str(), "r", stdin), nullptr);
  EXPECT_EQ(rg_file_read("-", &file_), nullptr);
  EXPECT_EQ(Bytes(), "{}");
  EXPECT_STREQ(rg_file_name("-"), "standard input");
  EXPECT_STREQ(rg_file_name("./-"), "./-");
}

}  // namespace
