/* SPDX-License-Identifier: Apache-2.0 */

/* The file that RETRY_GUARD_SERVICE_CONFIG names.
 *
 * Threads: safe. */
#ifndef RG_PRELOAD_CONFIG_FILE_H
#define RG_PRELOAD_CONFIG_FILE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* No service config is ever so large: a wrong name must not cost any amount of
 * memory. */
#define RG_CONFIG_FILE_MAX_BYTES ((size_t)1 << 20)

/* Reads all of `path`. Returns its text, for the caller to free; or NULL, with
 * the reason in `*why`, such as "No such file or directory", which is valid
 * until the next call. Waits for nothing: a pipe is no config file. */
char *rg_config_file_read(const char *path, const char **why);

#ifdef __cplusplus
}
#endif

#endif
