// SPDX-License-Identifier: Apache-2.0

// Runs something again and again, each time with another allocation that fails.
#ifndef RG_TEST_MEMORY_EACH_FAILURE_H
#define RG_TEST_MEMORY_EACH_FAILURE_H

#include <gtest/gtest.h>

#include <cstdint>

#include "memory/scarce_heap.h"

namespace rg_test {

// Calls run() with the first allocation failing, the second, and so on until
// there is none left to fail, and check(result, failed) after each. Once with
// one failure only and once with everything failing from then on. Returns how
// many allocations could fail.
template <typename Run, typename Check>
uint64_t EachFailure(ScarceHeap::Of whose, const Run &run, const Check &check) {
  uint64_t count = 0;
  for (bool all_after : {false, true}) {
    bool failed = true;
    for (count = 0; failed; count++) {
      SCOPED_TRACE(testing::Message() << "allocation " << count + 1
                                      << (all_after ? " and all after" : ""));
      auto result = [&] {
        ScarceHeap heap(whose, count + 1, all_after);
        auto got = run();
        failed = heap.Failed();
        return got;
      }();
      check(result, failed);
      if (testing::Test::HasFailure()) return count;
    }
  }
  return count - 1;
}

}  // namespace rg_test

#endif
