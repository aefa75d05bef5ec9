// SPDX-License-Identifier: Apache-2.0

// Bytes as "-bin" entries are on the wire.
#ifndef RG_TEST_SUPPORT_BASE64_H
#define RG_TEST_SUPPORT_BASE64_H

#include <cstdint>
#include <string>

namespace rg_test {

// Without padding, as gRPC sends it.
inline std::string Base64(const std::string &bytes, bool padded = false) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  uint32_t bits = 0;
  int count = 0;
  for (char c : bytes) {
    bits = bits << 8 | static_cast<uint8_t>(c);
    for (count += 8; count >= 6; count -= 6)
      text.push_back(kDigits[bits >> (count - 6) & 63]);
  }
  if (count > 0) text.push_back(kDigits[bits << (6 - count) & 63]);
  while (padded && text.size() % 4 != 0) text.push_back('=');
  return text;
}

}  // namespace rg_test

#endif
