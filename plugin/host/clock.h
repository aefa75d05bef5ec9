/* SPDX-License-Identifier: Apache-2.0 */

/* The one clock of the plugin.
 *
 * Threads: safe. */
#ifndef RG_HOST_CLOCK_H
#define RG_HOST_CLOCK_H

#include <stdint.h>

#include "core/cxx.h"

RG_C_BEGIN

/* Monotonic nanoseconds; never 0. Read once per callback and passed down. */
uint64_t rg_clock_now(void);

RG_C_END

#endif
