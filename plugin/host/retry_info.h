/* SPDX-License-Identifier: Apache-2.0 */

/* google.rpc.RetryInfo: when a server wants to be asked again.
 *
 * Threads: pure. Uses the heap; read only when an attempt has failed. */
#ifndef RG_HOST_RETRY_INFO_H
#define RG_HOST_RETRY_INFO_H

#include <stddef.h>

#include "core/backoff.h"
#include "core/cxx.h"

RG_C_BEGIN

/* Reads the value of `grpc-status-details-bin`. RG_PUSHBACK_DELAY with the
 * first RetryInfo's delay, rounded up to milliseconds; RG_PUSHBACK_ABSENT when
 * there is none, and for whatever cannot be read: truncated, too large, or a
 * delay that is negative or no valid google.protobuf.Duration. Without memory
 * there is none either, which counts as fail_open of the process. */
struct rg_pushback rg_retry_info_read(const void *bytes, size_t length);

RG_C_END

#endif
