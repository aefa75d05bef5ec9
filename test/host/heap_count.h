// SPDX-License-Identifier: Apache-2.0

// What the calling thread takes from the heap, and a heap that refuses it.
#ifndef RG_TEST_HOST_HEAP_COUNT_H
#define RG_TEST_HOST_HEAP_COUNT_H

#include <cstdint>

namespace rg_test {

// How often this thread allocated so far.
uint64_t HeapAllocations();

// While one lives, the heap has nothing for this thread: keep the scope small,
// since assertions allocate too.
class EmptyHeap {
 public:
  // False under a sanitizer, which brings a heap of its own.
  static bool IsPossible();

  EmptyHeap();
  ~EmptyHeap();
  EmptyHeap(const EmptyHeap &) = delete;
  EmptyHeap &operator=(const EmptyHeap &) = delete;
};

}  // namespace rg_test

#endif
