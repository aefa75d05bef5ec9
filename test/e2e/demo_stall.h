/* SPDX-License-Identifier: Apache-2.0 */

/* The demo's stall: a server that freezes for two seconds under steady load,
 * and the life of the circuit breaker meanwhile.
 *
 * Threads: one owner, which is main's thread. */
#ifndef RG_TEST_E2E_DEMO_STALL_H
#define RG_TEST_E2E_DEMO_STALL_H

#include <stdbool.h>

/* Runs it without and with the guard on processes of `program`, the path of
 * rg_tier, and prints both side by side; false when they do not run. */
bool rg_demo_stall_show(const char *program);

#endif
