// SPDX-License-Identifier: Apache-2.0

// What tests need to hold the comments of a .proto file against the code.
#ifndef RG_TEST_SUPPORT_PROTO_COMMENTS_H
#define RG_TEST_SUPPORT_PROTO_COMMENTS_H

#include <string>

namespace rg_test {

// What `text` has between `before` and the next `after`; "" when it has not.
inline std::string Between(const std::string &text, const std::string &before,
                           const std::string &after) {
  size_t start = text.find(before);
  if (start == std::string::npos) return "";
  start += before.size();
  size_t end = text.find(after, start);
  return end == std::string::npos ? "" : text.substr(start, end - start);
}

// The name that JSON has for a field: tokenRatio for token_ratio.
inline std::string JsonName(const std::string &name) {
  std::string json;
  for (size_t i = 0; i < name.size(); i++)
    if (name[i] == '_')
      json += static_cast<char>(name[++i] - 'a' + 'A');
    else
      json += name[i];
  return json;
}

}  // namespace rg_test

#endif
