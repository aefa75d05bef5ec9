// SPDX-License-Identifier: Apache-2.0

// Targets outlive a test; their names must not.
#ifndef RG_TEST_HOST_FRESH_NAME_H
#define RG_TEST_HOST_FRESH_NAME_H

#include <string>

namespace rg_test {

// A target's name that this process has not used yet, also when tests are
// repeated.
inline std::string FreshName(const std::string &stem) {
  static int used = 0;
  return "dns:///" + stem + "-" + std::to_string(used++);
}

}  // namespace rg_test

#endif
