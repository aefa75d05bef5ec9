/* SPDX-License-Identifier: Apache-2.0 */

/* All of a file, in memory.
 *
 * Threads: a file has one owner; reading standard input takes it from all. */
#ifndef RG_CLI_FILE_H
#define RG_CLI_FILE_H

#include <stddef.h>

#include "core/cxx.h"

RG_C_BEGIN

/* Nothing that is read here is ever so large: a wrong name must not cost any
 * amount of memory. */
#define RG_FILE_MAX_BYTES ((size_t)64 << 20)

/* The caller's memory. */
struct rg_file {
  char *bytes; /* a NUL follows that is not counted */
  size_t length;
};

/* Reads all of `path`; "-" is standard input. Returns NULL, and `file` is to be
 * cleaned up; or why it could not be read, such as "No such file or directory",
 * and `file` is empty. The text is valid until the next call. */
const char *rg_file_read(const char *path, struct rg_file *file);

void rg_file_clean_up(struct rg_file *file);

/* How messages call the file: its path, or "standard input". */
const char *rg_file_name(const char *path);

RG_C_END

#endif
