/* SPDX-License-Identifier: Apache-2.0 */

/* What the environment says about a preloaded guard:
 *   RETRY_GUARD_SERVICE_CONFIG  a file; for channels that bring no config
 *   RETRY_GUARD_LAYER           how the process calls itself in marks
 *   RETRY_GUARD_ACCEPT_MARKS    0, 1, true or false
 *   RETRY_GUARD_MODE            ENFORCE, SHADOW or OFF, whatever policies say
 *   RETRY_GUARD_STRICT          as ACCEPT_MARKS; do not run unguarded
 *   RETRY_GUARD_METRICS         where to serve metrics, such as 127.0.0.1:9464
 * An empty value is none.
 *
 * Threads: whoever calls sees to it that nobody changes the environment. */
#ifndef RG_PRELOAD_SETTINGS_H
#define RG_PRELOAD_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "retry_guard/retry_guard.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The texts are the environment's. */
struct rg_settings {
  const char *service_config; /* a path; NULL: none */
  const char *layer_name;     /* NULL: none */
  bool accept_marks;
  retry_guard_mode mode;
  bool strict;
  const char *metrics; /* an address; NULL: not served */
};

/* Enough for every fault. */
#define RG_SETTINGS_FAULT_SIZE 256

/* Reads the environment. False with the first fault in `fault`, such as
 * "RETRY_GUARD_MODE must be ENFORCE, SHADOW or OFF, got 'on'"; what could not
 * be understood has its default then. */
bool rg_settings_read(struct rg_settings *settings,
                      char fault[RG_SETTINGS_FAULT_SIZE]);

#ifdef __cplusplus
}
#endif

#endif
