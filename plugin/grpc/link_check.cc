// SPDX-License-Identifier: Apache-2.0

// Built and run while configuring. It links only against a libgrpc that was
// built without NDEBUG: with it, this internal function takes one argument
// less, and internal structures are laid out otherwise, which no header can
// tell. It prints the version of the library that the linker found.

#include <cstdio>

#include "absl/status/status.h"

struct grpc_stream_refcount;
using Callback = void (*)(void *, absl::Status);

#ifdef RG_EXPECT_NDEBUG
void grpc_stream_ref_init(grpc_stream_refcount *, int, Callback, void *);
#else
void grpc_stream_ref_init(grpc_stream_refcount *, int, Callback, void *,
                          const char *);
#endif
extern "C" const char *grpc_version_string(void);

int main() {
  auto *volatile needed = &grpc_stream_ref_init;
  std::fputs(grpc_version_string(), stdout);
  return needed == nullptr;
}
