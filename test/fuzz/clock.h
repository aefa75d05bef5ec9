// SPDX-License-Identifier: Apache-2.0

// A clock that a script turns: forth by little or by much, and back.
#ifndef RG_TEST_FUZZ_CLOCK_H
#define RG_TEST_FUZZ_CLOCK_H

#include <cstdint>

#include "core/num.h"
#include "fuzz/fuzz.h"
#include "support/wild_clock.h"

namespace rg_test {

class ScriptedClock {
 public:
  // From 0, from where it is as after any boot, or not long before the end.
  explicit ScriptedClock(rg_fuzz_script *script) {
    const uint64_t starts[] = {UINT64_C(100) * RG_NS_PER_S, 0,
                               UINT64_C(1) << 63, UINT64_MAX - RG_NS_PER_S};
    now_ = starts[rg_fuzz_below(script, 4)];
  }

  uint64_t now() const { return now_; }

  void GoOn(rg_fuzz_script *script) { now_ = rg_num_add(now_, Step(script)); }
  void StepBack(rg_fuzz_script *script) {
    now_ = rg_num_sub(now_, Step(script));
  }
  void Pass(uint64_t ns) { now_ = rg_num_add(now_, ns); }

 private:
  // Up to 65 s, 65 ms, 65 us, or two days.
  static uint64_t Step(rg_fuzz_script *script) {
    const uint64_t units[] = {RG_NS_PER_MS, RG_NS_PER_MS / 1000, 1,
                              3 * RG_NS_PER_S};
    const uint64_t unit = units[rg_fuzz_below(script, 4)];
    return unit * rg_fuzz_number(script, 2);
  }

  uint64_t now_;
};

}  // namespace rg_test

#endif
