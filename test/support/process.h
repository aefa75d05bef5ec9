/* SPDX-License-Identifier: Apache-2.0 */

/* Child programs of a test: started, listened to, ended. None survives its
 * parent, however that dies, and none is left a zombie.
 *
 * The kernel ends a child when the *thread* that started it ends: start
 * children on a thread that outlives them, as main does.
 *
 * Threads: a process has one owner; different ones are independent. */
#ifndef RG_TEST_SUPPORT_PROCESS_H
#define RG_TEST_SUPPORT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/cxx.h"

RG_C_BEGIN

#define RG_PROCESS_MAX 64 /* alive at the same time */

/* The caller's memory; all zero: not started, and stopping it does nothing. */
struct rg_process {
  pid_t pid;
  int output; /* what the child prints on its standard output */
};

/* Starts the program argv[0], a path; `argv` ends in NULL. False, with the
 * reason on standard error, when it could not be started. */
bool rg_process_start(struct rg_process *process, const char *const argv[]);

/* Reads one line that the child prints, without its newline, waiting for at
 * most `timeout_ms`. False when there is none by then or it is too long. */
bool rg_process_read_line(struct rg_process *process, char *line, size_t size,
                          uint32_t timeout_ms);

/* Freezes the child, as if it hung, which holds on return; and thaws it. */
void rg_process_pause(const struct rg_process *process);
void rg_process_resume(const struct rg_process *process);

/* Waits for the child to end by itself, for at most `timeout_ms`, then kills
 * it. Returns its exit status, or 128 and the signal's number. */
int rg_process_wait(struct rg_process *process, uint32_t timeout_ms);

/* Asks the child to end (SIGTERM), then waits as above. */
int rg_process_stop(struct rg_process *process, uint32_t timeout_ms);

/* From here on, SIGINT and SIGTERM end all children, wait for them and then
 * end this process, as they do without a handler. */
void rg_process_end_all_on_signals(void);

RG_C_END

#endif
