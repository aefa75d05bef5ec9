// SPDX-License-Identifier: Apache-2.0

// A heap that has nothing for one allocation: the n-th.
#ifndef RG_TEST_MEMORY_SCARCE_HEAP_H
#define RG_TEST_MEMORY_SCARCE_HEAP_H

#include <cstdint>

namespace rg_test {

class ScarceHeap {
 public:
  // Whose allocations count and fail.
  enum class Of {
    kThisThread,  // of whatever library; keep the scope small, since assertions
                  // allocate too
    kThePlugin,   // on any thread: what the shared library retry_guard asks for
                  // itself, and what jansson and protobuf-c do for it
  };

  // The `nth` (from 1) fails, and with `all_after` all that come later, too. Of
  // these objects there is one at a time.
  //
  // jansson 2.14 always has memory without `all_after`: where its buffer for a
  // token cannot grow just once, it loses a character without a word, which may
  // be a quote, and then runs into an assertion.
  ScarceHeap(Of whose, uint64_t nth, bool all_after = false);
  ~ScarceHeap();
  ScarceHeap(const ScarceHeap &) = delete;
  ScarceHeap &operator=(const ScarceHeap &) = delete;

  // Whether there were so many allocations that one failed.
  bool Failed() const;
};

}  // namespace rg_test

#endif
