/* SPDX-License-Identifier: Apache-2.0 */

/* Random bits for jitter: fast, of statistical quality, not for secrets. Seeded
 * from the kernel once per thread, and again in a forked child, since processes
 * that draw alike retry in step.
 *
 * Threads: safe, no sharing. */
#ifndef RG_HOST_ENTROPY_H
#define RG_HOST_ENTROPY_H

#include <stdint.h>

#include "core/cxx.h"

RG_C_BEGIN

/* 64 random bits. */
uint64_t rg_entropy_next(void);

RG_C_END

#endif
