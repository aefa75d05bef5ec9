/* SPDX-License-Identifier: Apache-2.0 */
#include "host/clock.h"

#include <time.h>

#include "core/num.h"

uint64_t rg_clock_now(void) {
  struct timespec ts = {0, 0};
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return (uint64_t)ts.tv_sec * RG_NS_PER_S + (uint64_t)ts.tv_nsec + 1;
}
