// SPDX-License-Identifier: Apache-2.0

// Descriptor sets: those that protoc made of shop.proto, and others that no
// protoc makes.
#ifndef RG_TEST_CLI_DESCRIPTORS_H
#define RG_TEST_CLI_DESCRIPTORS_H

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace rg_test {

constexpr char kSet[] = RG_DESCRIPTOR_DIR "/shop.pb";
constexpr char kSetWithImports[] = RG_DESCRIPTOR_DIR "/shop_imports.pb";
constexpr char kSetWithoutMethods[] = RG_DESCRIPTOR_DIR "/sample.pb";

inline std::string ReadBytes(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

// A field of a message that holds `value`, of up to 16,383 bytes.
inline std::string Field(int number, const std::string &value) {
  std::string field(1, static_cast<char>(number << 3 | 2));
  field += static_cast<char>((value.size() & 127) | 128);
  field += static_cast<char>(value.size() >> 7);
  return field + value;
}

// A set of one file with one service with one method.
inline std::string SetOf(const std::string &package, const std::string &service,
                         const std::string &method) {
  std::string methods = Field(2, Field(1, method));
  return Field(1, Field(2, package) + Field(6, Field(1, service) + methods));
}

}  // namespace rg_test

#endif
