// SPDX-License-Identifier: Apache-2.0

// Threads that begin at the same moment.
#ifndef RG_TEST_SUPPORT_RACE_H
#define RG_TEST_SUPPORT_RACE_H

#include <atomic>
#include <thread>
#include <vector>

namespace rg_test {

// Calls body(0) ... body(count - 1), each in a thread of its own, once all of
// them are there; returns when all have ended.
template <typename Body>
void Race(int count, const Body &body) {
  std::atomic<int> missing{count};
  std::vector<std::thread> threads;
  for (int i = 0; i < count; i++) {
    threads.emplace_back([&missing, &body, i] {
      missing--;
      while (missing > 0) std::this_thread::yield();
      body(i);
    });
  }
  for (std::thread &thread : threads) thread.join();
}

}  // namespace rg_test

#endif
