/* SPDX-License-Identifier: Apache-2.0 */

/* host/mark.h: what decodes encodes within the bound, and is the same mark when
 * it is decoded again. */
#include "host/mark.h"

#include <string.h>

#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct rg_mark mark;
  if (!rg_mark_decode(data, size, &mark)) return 0;
  RG_FUZZ_CHECK(mark.owner_length <= RG_OWNER_MAX);
  RG_FUZZ_CHECK(memchr(mark.owner, '\0', mark.owner_length) == NULL);

  /* Of just the size that the contract asks for. */
  uint8_t bytes[RG_MARK_MAX_BYTES];
  size_t length = rg_mark_encode(&mark, bytes);
  RG_FUZZ_CHECK(length <= sizeof bytes);

  struct rg_mark again;
  RG_FUZZ_CHECK(rg_mark_decode(bytes, length, &again));
  RG_FUZZ_CHECK(again.hops == mark.hops && again.attempt == mark.attempt);
  RG_FUZZ_CHECK(again.owner_length == mark.owner_length);
  RG_FUZZ_CHECK(memcmp(again.owner, mark.owner, mark.owner_length) == 0);
  return 0;
}
