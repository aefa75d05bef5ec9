/* SPDX-License-Identifier: Apache-2.0 */

/* What a service config deserves to be warned of, told once: a channel that is
 * made again and again must not fill the log.
 *
 * Threads: safe; takes no lock. */
#ifndef RG_HOST_CONFIG_WARNINGS_H
#define RG_HOST_CONFIG_WARNINGS_H

#include <stddef.h>

#include "core/cxx.h"

RG_C_BEGIN

/* Configs that are remembered; an older one is told of again. */
#define RG_CONFIG_WARNINGS_REMEMBERED 64

/* Lines told of one config. */
#define RG_CONFIG_WARNINGS_LINES 20

/* Calls `tell` with a line for each warning about the service config of
 * `length` bytes, unless it was told of before. Configs that have nothing to do
 * with the guard, not even by a misspelt `retryGuard`, are left alone. */
void rg_config_warnings(const char *json, size_t length,
                        void (*tell)(const char *line, void *arg), void *arg);

RG_C_END

#endif
