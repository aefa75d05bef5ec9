// SPDX-License-Identifier: Apache-2.0
#include "gameday/desk.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <vector>

#include "gameday/a_scenario.h"
#include "support/eventually.h"
#include "support/rpc.h"

namespace {

using rg_test::AScenario;
using rg_test::kMs;
using rg_test::kSecond;

// A server's desk, whose game began a minute ago; what is done leaves, as of
// when it was due, once Finish was called. A desk is never destroyed, nor are
// its timers.
class Desk {
 public:
  explicit Desk(const std::string &incidents = "")
      : scenario_(AScenario(incidents).release()),
        sheet_(static_cast<rg_sheet *>(rg_rpc_alloc(1, sizeof(rg_sheet)))) {
    place_ = {scenario_, 0, 0};
    sheet_->begin_ns = rg_rpc_now_ns() - 60 * kSecond;
    desk_ = rg_desk_new(&place_, sheet_, rg_timers_new(), OnDone, 1);
  }

  // Takes `count` requests that came at `ns`; returns how many found a place.
  size_t Take(size_t count, uint64_t ns) {
    size_t taken = 0;
    for (size_t i = 0; i < count; i++) {
      auto *task = static_cast<Task *>(rg_rpc_alloc(1, sizeof(Task)));
      task->task.deadline_ns = RG_NEVER;
      task->desk = this;
      tasks_.push_back(&task->task);
      taken += rg_desk_take(desk_, &task->task, ns);
    }
    return taken;
  }

  // Lets those that are done leave; false when not all are done, ever.
  bool Finish() {
    allowed_.set_value();
    return rg_test::Eventually([this] { return done_ == tasks_.size(); });
  }

  // When each was done, in milliseconds from `ns` on.
  std::vector<uint64_t> DoneMs(uint64_t ns) const {
    std::vector<uint64_t> all;
    for (const rg_task *task : tasks_) all.push_back((task->due_ns - ns) / kMs);
    return all;
  }

  uint64_t begin() const { return sheet_->begin_ns; }
  uint32_t waiting() const { return rg_desk_waiting(desk_); }
  rg_scenario *scenario() { return scenario_; }

 private:
  struct Task {
    rg_task task;
    Desk *desk;
  };

  static void OnDone(rg_task *task) {
    Desk *desk = reinterpret_cast<Task *>(task)->desk;
    desk->leaving_.wait();
    rg_desk_leave(task->desk, task->due_ns);
    ++desk->done_;
  }

  rg_scenario *scenario_;
  rg_place place_;
  rg_sheet *sheet_;
  rg_desk *desk_;
  std::vector<rg_task *> tasks_;
  std::promise<void> allowed_;
  std::shared_future<void> leaving_ = allowed_.get_future().share();
  std::atomic<size_t> done_{0};
};

// Four workers and four places before them, and they came half a minute ago:
// the timers are late by that, but the second four are done a millisecond after
// the first all the same.
TEST(Desk, AWorkerThatIsLateTakesItsNextTaskAsIfItHadNotBeen) {
  Desk desk;
  uint64_t then = rg_rpc_now_ns() - 30 * kSecond;
  desk.scenario()->tiers[0].queue = 8;
  ASSERT_EQ(desk.Take(8, then), 8u);
  ASSERT_TRUE(desk.Finish());
  auto done = desk.DoneMs(then);
  std::sort(done.begin(), done.end());
  EXPECT_EQ(done, (std::vector<uint64_t>{1, 1, 1, 1, 2, 2, 2, 2}));
}

// Work that takes an hour: four are worked on, four wait, the rest is refused.
TEST(Desk, RefusesWhoFindsNoPlace) {
  Desk desk;
  desk.scenario()->tiers[0].service_ns = 3600 * kSecond;
  EXPECT_EQ(desk.Take(10, rg_rpc_now_ns()), 8u);
  EXPECT_EQ(desk.waiting(), 4u);
}

// The pause was from the 10th to the 12th second.
TEST(Desk, WhoComesInAPauseWaitsForItsEnd) {
  Desk desk(R"({"kind":"PAUSE","at":"10s","lasts":"2s"})");
  uint64_t in_it = desk.begin() + 11 * kSecond;
  ASSERT_EQ(desk.Take(1, in_it), 1u);
  ASSERT_TRUE(desk.Finish());
  EXPECT_EQ(desk.DoneMs(in_it), (std::vector<uint64_t>{1001}));
}

// It began a second ago and lasts an hour.
TEST(Desk, NobodyIsWorkedOnInAPause) {
  Desk desk(R"({"kind":"PAUSE","at":"59s","lasts":"3600s"})");
  EXPECT_EQ(desk.Take(6, rg_rpc_now_ns()), 4u);
  EXPECT_EQ(desk.waiting(), 4u);
}

}  // namespace
