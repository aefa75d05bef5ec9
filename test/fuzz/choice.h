// SPDX-License-Identifier: Apache-2.0

// Choices of a script, as policies need them.
#ifndef RG_TEST_FUZZ_CHOICE_H
#define RG_TEST_FUZZ_CHOICE_H

#include <cstdint>

#include "core/num.h"
#include "fuzz/fuzz.h"

namespace rg_test {

// In [0, n), which fits.
inline uint32_t Small(rg_fuzz_script *script, uint64_t n) {
  return static_cast<uint32_t>(rg_fuzz_below(script, n));
}

// Within the ranges of policy.proto, in tenths of a second.
inline uint64_t Span(rg_fuzz_script *script) {
  return RG_NS_PER_S / 10 * (1 + rg_fuzz_below(script, 36000));
}

}  // namespace rg_test

#endif
