/* SPDX-License-Identifier: Apache-2.0 */

/* What a service config says of the channel and of methods besides retries:
 * read only to tell what gRPC 1.51 refuses.
 *
 * Threads: one owner of the report. */
#ifndef RG_CONFIG_NATIVE_CHANNEL_H
#define RG_CONFIG_NATIVE_CHANNEL_H

#include "config/native_value.h"
#include "core/cxx.h"

RG_C_BEGIN

/* Load balancing and health check, of the top level of the service config. The
 * inner part of a balancing policy's config is not looked at. */
void rg_native_check_channel(const struct rg_native *config);

/* waitForReady and the bounds of message sizes, of a methodConfig entry. */
void rg_native_check_method(const struct rg_native *entry);

RG_C_END

#endif
