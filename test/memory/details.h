// SPDX-License-Identifier: Apache-2.0

// The details of a google.rpc.Status, as bytes.
#ifndef RG_TEST_MEMORY_DETAILS_H
#define RG_TEST_MEMORY_DETAILS_H

#include <string>

namespace rg_test {

// A field of less than 128 bytes.
inline std::string Field(char tag, const std::string &value) {
  return std::string{tag, static_cast<char>(value.size())} + value;
}

inline std::string Detail(const std::string &type, const std::string &value) {
  return Field(0x1a, Field(0x0a, type) + Field(0x12, value));
}

// With the google.protobuf.Duration `delay`.
inline std::string RetryInfo(const std::string &delay) {
  return Detail("type.googleapis.com/google.rpc.RetryInfo", Field(0x0a, delay));
}

}  // namespace rg_test

#endif
