// SPDX-License-Identifier: Apache-2.0

// Random numbers that are the same in every run.
#ifndef RG_TEST_SUPPORT_RANDOM_H
#define RG_TEST_SUPPORT_RANDOM_H

#include <cstdint>

namespace rg_test {

// splitmix64: every seed is as good as any other.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Bits() {
    uint64_t z = state_ += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
  }

  // In [0, n); the bias does not matter to a test.
  uint64_t Below(uint64_t n) { return Bits() % n; }

  bool OneIn(uint64_t n) { return Below(n) == 0; }

 private:
  uint64_t state_;
};

}  // namespace rg_test

#endif
