// SPDX-License-Identifier: Apache-2.0
#include "memory/scarce_heap.h"

#include <link.h>
#include <unwind.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>

namespace {

enum Mode { kPlenty, kOfThread, kOfPlugin };

std::atomic<Mode> mode{kPlenty};
std::atomic<uint64_t> wanted{0};
std::atomic<uint64_t> seen{0};
std::atomic<bool> further{false};
thread_local bool is_of_this_thread;
thread_local bool is_looking;

// The code of a library in this process.
struct Range {
  uintptr_t begin = 0;
  uintptr_t end = 0;

  bool Holds(const void *address) const {
    auto at = reinterpret_cast<uintptr_t>(address);
    return at >= begin && at < end;
  }
};

// Whose allocations count, and through whom they are made.
Range jansson;
std::array<Range, 3> plugin;
std::array<Range, 2> go_between;

bool Is(const dl_phdr_info &library, const char *name) {
  return std::strstr(library.dlpi_name, name) != nullptr;
}

Range CodeOf(const dl_phdr_info &library) {
  Range range;
  for (int i = 0; i < library.dlpi_phnum; i++) {
    const ElfW(Phdr) &segment = library.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    range.begin = library.dlpi_addr + segment.p_vaddr;
    range.end = range.begin + segment.p_memsz;
  }
  return range;
}

int NoteLibrary(dl_phdr_info *library, size_t, void *) {
  if (Is(*library, "/libretry_guard.so")) plugin[0] = CodeOf(*library);
  if (Is(*library, "/libjansson.so")) plugin[1] = jansson = CodeOf(*library);
  if (Is(*library, "/libprotobuf-c.so")) plugin[2] = CodeOf(*library);
  if (Is(*library, "/libstdc++.so")) go_between[0] = CodeOf(*library);
  if (Is(*library, "/libc.so")) go_between[1] = CodeOf(*library);
  return 0;
}

template <typename Ranges>
bool AnyHolds(const Ranges &ranges, const void *address) {
  for (const Range &range : ranges)
    if (range.Holds(address)) return true;
  return false;
}

struct Stack {
  void *frames[24];
  int count;
};

_Unwind_Reason_Code NoteFrame(_Unwind_Context *context, void *arg) {
  auto *stack = static_cast<Stack *>(arg);
  if (stack->count == static_cast<int>(std::size(stack->frames)))
    return _URC_END_OF_STACK;
  stack->frames[stack->count++] =
      reinterpret_cast<void *>(_Unwind_GetIP(context));
  return _URC_NO_REASON;
}

// Up the stack to the first who is neither this file nor a go-between.
__attribute__((noinline)) bool AskedByPlugin(const void *caller) {
  if (!AnyHolds(go_between, caller)) return AnyHolds(plugin, caller);
  Stack stack = {};
  _Unwind_Backtrace(NoteFrame, &stack);
  int i = 0;
  while (i < stack.count && stack.frames[i] != caller) i++;
  while (i < stack.count && AnyHolds(go_between, stack.frames[i])) i++;
  return i < stack.count && AnyHolds(plugin, stack.frames[i]);
}

bool Counts(const void *caller) {
  Mode now = mode.load(std::memory_order_relaxed);
  if (now == kPlenty || is_looking) return false;
  if (!further && jansson.Holds(caller)) return false;
  if (now == kOfThread) return is_of_this_thread;
  is_looking = true;  // the unwinder may allocate
  bool counts = AskedByPlugin(caller);
  is_looking = false;
  return counts;
}

bool Refuses(const void *caller) {
  if (!Counts(caller)) return false;
  uint64_t number = ++seen;
  return number == wanted || (number > wanted && further);
}

}  // namespace

namespace rg_test {

ScarceHeap::ScarceHeap(Of whose, uint64_t nth, bool all_after) {
  dl_iterate_phdr(NoteLibrary, nullptr);
  wanted = nth;
  seen = 0;
  further = all_after;
  is_of_this_thread = whose == Of::kThisThread;
  mode = whose == Of::kThisThread ? kOfThread : kOfPlugin;
}

ScarceHeap::~ScarceHeap() {
  mode = kPlenty;
  is_of_this_thread = false;
}

bool ScarceHeap::Failed() const { return seen >= wanted; }

}  // namespace rg_test

// The program's own functions come before those of the libraries, and of a
// sanitizer, for everybody in the process.
#define RG_EXPORTED __attribute__((visibility("default")))
#define RG_CALLER __builtin_return_address(0)

#ifdef RG_HEAP_IS_THE_SANITIZERS
#define RG_REAL(function) __interceptor_##function
#define RG_REAL_ALIGNED_ALLOC RG_REAL(aligned_alloc)
#else
#define RG_REAL(function) __libc_##function
#define RG_REAL_ALIGNED_ALLOC RG_REAL(memalign)
#endif

extern "C" {

void *RG_REAL(malloc)(size_t size);
void *RG_REAL(calloc)(size_t count, size_t size);
void *RG_REAL(realloc)(void *old, size_t size);
void *RG_REAL_ALIGNED_ALLOC(size_t alignment, size_t size);

RG_EXPORTED void *malloc(size_t size) noexcept {
  return Refuses(RG_CALLER) ? nullptr : RG_REAL(malloc)(size);
}

RG_EXPORTED void *calloc(size_t count, size_t size) noexcept {
  return Refuses(RG_CALLER) ? nullptr : RG_REAL(calloc)(count, size);
}

RG_EXPORTED void *realloc(void *old, size_t size) noexcept {
  return Refuses(RG_CALLER) ? nullptr : RG_REAL(realloc)(old, size);
}

RG_EXPORTED void *aligned_alloc(size_t alignment, size_t size) noexcept {
  return Refuses(RG_CALLER) ? nullptr : RG_REAL_ALIGNED_ALLOC(alignment, size);
}

RG_EXPORTED char *strdup(const char *text) noexcept {
  size_t size = std::strlen(text) + 1;
  void *copy = Refuses(RG_CALLER) ? nullptr : RG_REAL(malloc)(size);
  if (copy != nullptr) std::memcpy(copy, text, size);
  return static_cast<char *>(copy);
}

}  // extern "C"

RG_EXPORTED void *operator new(size_t size) {
  void *memory = Refuses(RG_CALLER) ? nullptr : RG_REAL(malloc)(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

RG_EXPORTED void *operator new(size_t size, const std::nothrow_t &) noexcept {
  return Refuses(RG_CALLER) ? nullptr : RG_REAL(malloc)(size);
}

RG_EXPORTED void operator delete(void *memory) noexcept { std::free(memory); }

RG_EXPORTED void operator delete(void *memory, size_t) noexcept {
  std::free(memory);
}
