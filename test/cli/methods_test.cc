// SPDX-License-Identifier: Apache-2.0
#include "cli/methods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "cli/descriptors.h"

namespace {

using rg_test::Field;
using rg_test::ReadBytes;
using rg_test::SetOf;
using testing::ElementsAre;

class Methods : public testing::Test {
 protected:
  Methods() { rg_faults_init(&faults_); }
  ~Methods() override { CleanUp(); }

  bool Read(const std::string &bytes) {
    CleanUp();
    rg_faults_init(&faults_);
    bool good =
        rg_methods_read(bytes.data(), bytes.size(), &methods_, &faults_);
    EXPECT_EQ(good, rg_faults_empty(&faults_));
    EXPECT_EQ(good, methods_.count > 0);
    return good;
  }

  // The paths, with a "!" before those that are not safe.
  std::vector<std::string> Paths() const {
    std::vector<std::string> paths;
    for (size_t i = 0; i < methods_.count; i++)
      paths.push_back((methods_.items[i].safe ? "" : "!") +
                      std::string(methods_.items[i].path));
    return paths;
  }

  // The first fault of what cannot be read.
  std::string Fault(const std::string &bytes) {
    EXPECT_FALSE(Read(bytes));
    if (faults_.count == 0) return "none";
    return std::string(faults_.items[0].path) + ":" + faults_.items[0].message;
  }

  rg_methods methods_{};
  rg_faults faults_{};

 private:
  void CleanUp() {
    rg_methods_clean_up(&methods_);
    rg_faults_clean_up(&faults_);
  }
};

TEST_F(Methods, AreReadInTheOrderOfTheFile) {
  ASSERT_TRUE(Read(ReadBytes(rg_test::kSet)));
  EXPECT_THAT(Paths(),
              ElementsAre("!shop.v1.Ledger/Add", "shop.v1.Ledger/Get",
                          "shop.v1.Ledger/Put", "!shop.v1.Ledger/Note",
                          "!shop.v1.Alarm/Ring", "shop.v1.Shelf/Look"));
  EXPECT_EQ(methods_.safe_count, 3u);
}

TEST_F(Methods, OfImportsAreReadToo) {
  ASSERT_TRUE(Read(ReadBytes(rg_test::kSetWithImports)));
  EXPECT_EQ(methods_.count, 8u);
  EXPECT_EQ(methods_.safe_count, 4u);
}

TEST_F(Methods, OfAServiceWithoutAPackageHaveNone) {
  ASSERT_TRUE(Read(ReadBytes(rg_test::kSetWithImports)));
  EXPECT_STREQ(methods_.items[0].path, "Till/Open");
  EXPECT_EQ(methods_.items[0].service_length, 4u);
  ASSERT_TRUE(Read(SetOf("a.b", "C", "D")));
  EXPECT_THAT(Paths(), ElementsAre("!a.b.C/D"));
  EXPECT_EQ(methods_.items[0].service_length, 5u);
}

TEST_F(Methods, OfAnUnknownLevelAreNotSafe) {
  std::string options = Field(4, std::string("\x90\x02\x03", 3));
  std::string method = Field(2, Field(1, "D") + options);
  ASSERT_TRUE(Read(Field(1, Field(6, Field(1, "C") + method))));
  EXPECT_THAT(Paths(), ElementsAre("!C/D"));
}

TEST_F(Methods, AreNotFoundInWhatIsNoDescriptorSet) {
  const char kNone[] = ":is damaged or no descriptor set";
  EXPECT_EQ(Fault("{ \"retryGuard\": {} }"), kNone);
  EXPECT_EQ(Fault("\177ELF\002\001\001"), kNone);
  EXPECT_EQ(Fault(ReadBytes(rg_test::kSet).substr(0, 100)), kNone);
}

TEST_F(Methods, AreNotFoundInAnEmptyFile) {
  EXPECT_EQ(Fault(""), ":is empty or no descriptor set");
}

TEST_F(Methods, AreMissingWhereThereAreMessagesOnly) {
  EXPECT_EQ(Fault(ReadBytes(rg_test::kSetWithoutMethods)),
            ":describes no methods");
}

TEST_F(Methods, DescribedTwiceAreRefused) {
  std::string set = SetOf("a", "B", "C");
  EXPECT_EQ(Fault(set + set), "a.B/C:is described twice");
  EXPECT_EQ(Fault(SetOf("a.B", "C", "D") + SetOf("a", "B", "C") +
                  SetOf("", "B", "C") + SetOf("a", "B", "C")),
            "a.B/C:is described twice");
}

TEST_F(Methods, HaveProperNames) {
  std::string longest(RG_METHODS_MAX_NAME_BYTES, 'x');
  EXPECT_TRUE(Read(SetOf(longest, "_", "a1")));
  for (const std::string &name :
       {std::string(), std::string("1a"), std::string("a b"),
        std::string("a/b"), std::string("\033"), std::string("\xc3\xa4"),
        longest + "x"}) {
    EXPECT_NE(Fault(SetOf("a", name, "b")).find("a service without a proper"),
              std::string::npos);
    EXPECT_NE(Fault(SetOf("a", "b", name)).find("a method without a proper"),
              std::string::npos);
    if (name.empty()) continue;
    EXPECT_NE(Fault(SetOf(name, "a", "b")).find("a package without a proper"),
              std::string::npos);
  }
  EXPECT_NE(Fault(SetOf("a", "b.c", "d")).find("service"), std::string::npos);
  EXPECT_NE(Fault(SetOf("a..b", "c", "d")).find("package"), std::string::npos);
  EXPECT_NE(Fault(SetOf("a.", "c", "d")).find("package"), std::string::npos);
}

TEST_F(Methods, AreBoundedInNumber) {
  std::string all;
  for (int i = 0; i <= RG_METHODS_MAX; i++)
    all += SetOf("", "S", "m" + std::to_string(i));
  EXPECT_EQ(Fault(all), ":has more than 100000 methods");
  all.resize(all.size() - SetOf("", "S", "m100000").size());
  EXPECT_TRUE(Read(all));
}

TEST_F(Methods, OfDamagedSetsAreReadOrRefused) {
  std::mt19937 random(1);
  std::string good = ReadBytes(rg_test::kSetWithImports);
  for (int round = 0; round < 3000; round++) {
    std::string bad = good;
    for (int i = 0; i < 3; i++)
      bad[random() % bad.size()] = static_cast<char>(random());
    if (random() % 4 == 0) bad.resize(random() % bad.size());
    Read(bad);
  }
}

}  // namespace
