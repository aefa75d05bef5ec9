// SPDX-License-Identifier: Apache-2.0

// A server of all four kinds of calls that answers at random, and badly when it
// is told to.
//
// Threads: safe, but for new and destroy, which are the owner's.
#ifndef RG_TEST_E2E_STRESS_SERVER_H
#define RG_TEST_E2E_STRESS_SERVER_H

#include <grpc/grpc.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/random.h"
#include "support/rpc_queue.h"

namespace rg_test {

enum class Kind { kUnary, kClientStream, kServerStream, kBothStream };

inline constexpr int kKinds = 4;
// How many messages each side of a stream sends.
inline constexpr int kStreamMessages = 3;

// "/retry_guard.test.Stress/Unary" and so on; static.
const char *MethodOf(Kind kind);

// An operation with all else still to be set.
inline grpc_op OpOf(grpc_op_type type) {
  grpc_op op{};
  op.op = type;
  return op;
}

class StressServer {
 public:
  // Connections live for a fraction of a second, and then say GOAWAY.
  StressServer();
  // Cancels what is going on and waits until all calls have ended.
  ~StressServer();
  StressServer(const StressServer &) = delete;
  StressServer &operator=(const StressServer &) = delete;

  enum class Mood {
    kFlawless,  // everything is answered OK
    kGood,      // nineteen of twenty
    kBad,       // one of ten
    kDown,      // nothing
  };
  void SetMood(Mood mood) { mood_.store(mood, std::memory_order_relaxed); }

  int port() const { return port_; }

 private:
  friend class StressIncoming;

  // How one call is answered.
  enum class Answer { kOk, kUnavailable, kEarly, kExhausted, kNever };
  Answer Choose();
  void Request(grpc_completion_queue *queue);
  void Count(int change);  // calls that are asked for or under way

  grpc_server *server_;
  int port_ = 0;
  // Each with one thread, so that no call has two.
  std::vector<grpc_completion_queue *> queues_;
  std::vector<std::thread> threads_;
  std::atomic<Mood> mood_{Mood::kGood};
  std::mutex mutex_;
  std::condition_variable changed_;
  // Under the mutex:
  Random random_{1};
  int calls_ = 0;
};

}  // namespace rg_test

#endif
