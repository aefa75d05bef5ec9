// SPDX-License-Identifier: Apache-2.0

// What becomes so by itself.
#ifndef RG_TEST_SUPPORT_EVENTUALLY_H
#define RG_TEST_SUPPORT_EVENTUALLY_H

#include <chrono>
#include <thread>

namespace rg_test {

// Waits until `condition` holds, asking again after each `pause`; false when it
// does not after pauses of a minute in all.
template <typename Condition>
bool Eventually(const Condition &condition, std::chrono::milliseconds pause =
                                                std::chrono::milliseconds(1)) {
  for (auto left = std::chrono::milliseconds(60000); left.count() > 0;
       left -= pause) {
    if (condition()) return true;
    std::this_thread::sleep_for(pause);
  }
  return condition();
}

}  // namespace rg_test

#endif
