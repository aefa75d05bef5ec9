/* SPDX-License-Identifier: Apache-2.0 */

/* host/retry_info.h: anything at all is either no delay, or one within what
 * google.protobuf.Duration allows; and the same bytes always say the same. */
#include "host/retry_info.h"

#include "config/duration.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct rg_pushback pushback = rg_retry_info_read(data, size);
  RG_FUZZ_CHECK(pushback.kind == RG_PUSHBACK_ABSENT ||
                pushback.kind == RG_PUSHBACK_DELAY);
  if (pushback.kind == RG_PUSHBACK_DELAY)
    RG_FUZZ_CHECK(pushback.delay_ms <= (uint64_t)RG_DURATION_MAX_S * 1000 +
                                           1000 /* of nanoseconds */);
  struct rg_pushback again = rg_retry_info_read(data, size);
  RG_FUZZ_CHECK(again.kind == pushback.kind);
  RG_FUZZ_CHECK(again.delay_ms == pushback.delay_ms);
  return 0;
}
