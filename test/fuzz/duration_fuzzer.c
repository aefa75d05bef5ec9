/* SPDX-License-Identifier: Apache-2.0 */

/* config/duration.h: what parses is in range, and is itself again once it was
 * written and read. */
#include "config/duration.h"

#include <string.h>

#include "fuzz/fuzz.h"

static void check_range(struct rg_duration d) {
  RG_FUZZ_CHECK(d.seconds >= -RG_DURATION_MAX_S &&
                d.seconds <= RG_DURATION_MAX_S);
  RG_FUZZ_CHECK(d.nanos > -1000000000 && d.nanos < 1000000000);
  RG_FUZZ_CHECK(d.seconds <= 0 || d.nanos >= 0);
  RG_FUZZ_CHECK(d.seconds >= 0 || d.nanos <= 0);
}

static void check_written(struct rg_duration d) {
  char text[RG_DURATION_TEXT_SIZE];
  memset(text, 'x', sizeof text);
  rg_duration_write(d, text);
  RG_FUZZ_CHECK(memchr(text, '\0', sizeof text) != NULL);
  struct rg_duration again;
  RG_FUZZ_CHECK(rg_duration_parse(text, strlen(text), &again) ==
                RG_DURATION_OK);
  RG_FUZZ_CHECK(rg_duration_compare(d, again) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct rg_duration d;
  if (rg_duration_parse((const char *)data, size, &d) != RG_DURATION_OK)
    return 0;
  check_range(d);
  check_written(d);
  struct rg_duration zero = {0, 0};
  RG_FUZZ_CHECK((rg_duration_compare(d, zero) > 0) == (rg_duration_ns(d) > 0));
  return 0;
}
