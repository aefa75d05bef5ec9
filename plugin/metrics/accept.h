/* SPDX-License-Identifier: Apache-2.0 */

/* Content negotiation.
 *
 * Threads: pure. */
#ifndef RG_METRICS_ACCEPT_H
#define RG_METRICS_ACCEPT_H

#include "core/cxx.h"
#include "retry_guard/metrics.h"

RG_C_BEGIN

/* The format that suits `accept`, an HTTP Accept header, best; NULL: there is
 * none. OpenMetrics only for who asks for it by name and likes it no less than
 * plain text: everybody reads the older format. */
retry_guard_metrics_format rg_accept_format(const char *accept);

RG_C_END

#endif
