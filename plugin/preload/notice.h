/* SPDX-License-Identifier: Apache-2.0 */

/* What a preloaded guard has to say, to whoever reads the standard error of a
 * program that knows nothing of it.
 *
 * Threads: safe. */
#ifndef RG_PRELOAD_NOTICE_H
#define RG_PRELOAD_NOTICE_H

#ifdef __cplusplus
extern "C" {
#endif

/* What does not fit into a line of so many bytes is cut off. */
#define RG_NOTICE_MAX_BYTES 2048

/* Writes "retry-guard: " and the text as one line to standard error, at once,
 * by no buffer of the program's. Control characters become '?'. When nobody
 * reads it, nothing happens, not even SIGPIPE. errno stays. */
void rg_notice(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The name of the program, for such lines; never NULL. */
const char *rg_notice_program(void);

#ifdef __cplusplus
}
#endif

#endif
