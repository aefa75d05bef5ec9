/* SPDX-License-Identifier: Apache-2.0 */

/* A terminal that is written anew again and again, and is afterwards as it was
 * before, also when SIGINT, SIGTERM or SIGHUP ends the command.
 *
 * Threads: the command has one, and one screen: standard output. */
#ifndef RG_CLI_SCREEN_H
#define RG_CLI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "core/cxx.h"

RG_C_BEGIN

#define RG_SCREEN_LINES 24 /* where nothing says how many there are */

/* Whether standard output is a terminal that can do it. */
bool rg_screen_is_possible(void);

/* How many lines it has now. */
size_t rg_screen_lines(void);

void rg_screen_enter(void);

/* Puts `text` in place of what is there; lines beyond the last are left out. */
void rg_screen_show(const char *text);

void rg_screen_leave(void);

RG_C_END

#endif
