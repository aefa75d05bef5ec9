// SPDX-License-Identifier: Apache-2.0

// One thread of the stress: makes calls, one after the other, of random kinds,
// deadlines and ends, on plain and guarded channels in turn.
//
// Threads: one owner, which Run keeps; the results are read when it is back.
#ifndef RG_TEST_E2E_STRESS_CALLER_H
#define RG_TEST_E2E_STRESS_CALLER_H

#include <grpc/grpc.h>

#include <array>
#include <cstdint>
#include <vector>

#include "e2e/stress_server.h"
#include "support/random.h"
#include "support/timer.h"

namespace rg_test {

// What calls of one sort came to.
struct Outcomes {
  uint64_t calls = 0;
  std::array<uint64_t, 17> by_status{};
  // For each call that ended after its deadline, by how much.
  std::vector<uint64_t> late_ns;

  void Add(const Outcomes &more);
};

// What a call is to be like.
struct CallPlan {
  Kind kind = Kind::kUnary;
  uint64_t timeout_ns = 0;
  bool cancel_first = false;  // before anything is started
  bool cancel_later = false;  // by another thread, `cancel_after_ns` from now
  uint64_t cancel_after_ns = 0;
};

class StressCaller {
 public:
  // `timers` runs the cancellations.
  StressCaller(uint64_t seed, rg_timers *timers);
  ~StressCaller();
  StressCaller(const StressCaller &) = delete;
  StressCaller &operator=(const StressCaller &) = delete;

  // What the next call of the stress is like: it has 1 to 6 units of time, and
  // a quarter is cancelled.
  CallPlan Plan(uint64_t unit_ns);
  // Makes a call and waits for all its ends; adds them to `outcomes`.
  grpc_status_code Call(grpc_channel *channel, const CallPlan &plan,
                        Outcomes *outcomes);

 private:
  Random random_;
  rg_timers *timers_;
  grpc_completion_queue *queue_;
};

}  // namespace rg_test

#endif
