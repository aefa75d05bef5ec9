// SPDX-License-Identifier: Apache-2.0
#include "host/heap_count.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <thread>

#ifdef __has_feature
#define RG_HAS_FEATURE(feature) __has_feature(feature)
#else
#define RG_HAS_FEATURE(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    RG_HAS_FEATURE(address_sanitizer) || RG_HAS_FEATURE(thread_sanitizer)
#define RG_HEAP_IS_THE_SANITIZERS 1
#else
#define RG_HEAP_IS_THE_SANITIZERS 0
#endif

// gcc's ThreadSanitizer tells its hook of no aligned allocation.
#if defined(__SANITIZE_THREAD__)
#define RG_HEAP_TELLS_OF_ALIGNED 0
#else
#define RG_HEAP_TELLS_OF_ALIGNED 1
#endif

namespace {

thread_local uint64_t allocations;
thread_local bool empty;

}  // namespace

#if RG_HEAP_IS_THE_SANITIZERS

// gcc comes without the header that declares it.
extern "C" int __sanitizer_install_malloc_and_free_hooks(
    void (*on_malloc)(const volatile void *, size_t),
    void (*on_free)(const volatile void *));

namespace {

void OnMalloc(const volatile void *, size_t) { allocations++; }
void OnFree(const volatile void *) {}

[[maybe_unused]] const int installed =
    __sanitizer_install_malloc_and_free_hooks(OnMalloc, OnFree);

}  // namespace

#else

// The program's malloc comes before the C library's, for every library in the
// process.
#define RG_EXPORTED __attribute__((visibility("default")))

extern "C" {

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

RG_EXPORTED void *malloc(size_t size) noexcept {
  allocations++;
  return empty ? nullptr : __libc_malloc(size);
}

RG_EXPORTED void *calloc(size_t count, size_t size) noexcept {
  allocations++;
  return empty ? nullptr : __libc_calloc(count, size);
}

RG_EXPORTED void *realloc(void *old, size_t size) noexcept {
  allocations++;
  return empty ? nullptr : __libc_realloc(old, size);
}

RG_EXPORTED void *aligned_alloc(size_t alignment, size_t size) noexcept {
  allocations++;
  return empty ? nullptr : __libc_memalign(alignment, size);
}

}  // extern "C"

#endif

namespace rg_test {

uint64_t HeapAllocations() { return allocations; }

bool EmptyHeap::IsPossible() { return !RG_HEAP_IS_THE_SANITIZERS; }

EmptyHeap::EmptyHeap() { empty = true; }

EmptyHeap::~EmptyHeap() { empty = false; }

}  // namespace rg_test

namespace {

using rg_test::EmptyHeap;
using rg_test::HeapAllocations;

// Out of the compiler's sight, which may leave out what nobody looks at.
void *(*volatile heap_malloc)(size_t) = malloc;
void *(*volatile heap_calloc)(size_t, size_t) = calloc;
void *(*volatile heap_realloc)(void *, size_t) = realloc;
void *(*volatile heap_aligned_alloc)(size_t, size_t) = aligned_alloc;

TEST(HeapCount, SeesEveryWayToAllocate) {
  const uint64_t before = HeapAllocations();
  void *a = heap_malloc(1);
  void *b = heap_calloc(1, 1);
  void *c = heap_realloc(nullptr, 1);
  void *d = heap_aligned_alloc(64, 64);
  int *volatile e = new int(1);
  const uint64_t after = HeapAllocations();
  free(a);
  free(b);
  free(c);
  free(d);
  delete e;
  EXPECT_EQ(after - before, 4u + RG_HEAP_TELLS_OF_ALIGNED);
}

TEST(HeapCount, SeesNothingOfOtherThreads) {
  uint64_t seen = 0;
  std::thread other([&seen] {
    const uint64_t before = HeapAllocations();
    free(heap_malloc(1));
    seen = HeapAllocations() - before;
  });
  const uint64_t before = HeapAllocations();
  other.join();
  EXPECT_EQ(HeapAllocations() - before, 0u);
  EXPECT_EQ(seen, 1u);
}

TEST(HeapCount, AnEmptyHeapRefusesUntilTheScopeEnds) {
  if (!EmptyHeap::IsPossible()) GTEST_SKIP();
  void *refused = nullptr;
  {
    const EmptyHeap heap;
    refused = heap_malloc(1);
  }
  void *granted = heap_malloc(1);
  EXPECT_EQ(refused, nullptr);
  EXPECT_NE(granted, nullptr);
  free(granted);
}

}  // namespace
