// SPDX-License-Identifier: Apache-2.0

// Keeps the guard in gRPC's own tests, and sees that it is there: whatever
// configuration a test builds, its channels get the plugin's filters and, when
// asked for, a `retryGuard` block. A process runs one test, so this is global.
#ifndef RG_TEST_GRPC_UPSTREAM_WATCH_H
#define RG_TEST_GRPC_UPSTREAM_WATCH_H

#include <cstdint>
#include <string>

namespace rg_test {

// What was seen of all channels together.
struct Seen {
  // Channel stacks with the plugin's filter of their kind, and without.
  int client_channels, subchannels, server_channels;
  int without_filter;
  // Targets that a policy was in force for, and their counters.
  int guarded_targets;
  uint64_t calls, attempts, retries, undecided_retries, transparent_retries;
  uint64_t stops, rejected_retries, tokens_outstanding, fail_open;
};

// Registers the plugin; call it before gRPC is used. `block` is the text of the
// `retryGuard` block for the service config of every channel; empty: none, and
// the guard is inert. Aborts when the plugin cannot be registered.
void StartWatching(const std::string &block);

// What was seen since. Call it once, when gRPC is shut down.
Seen StopWatching();

}  // namespace rg_test

#endif
