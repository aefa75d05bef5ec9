/* SPDX-License-Identifier: Apache-2.0 */

/* The "C" locale for the calling thread, for as long as numbers are read or
 * written: the host program's locale may have another decimal point, even one
 * of several bytes, with which jansson's number parser aborts the process.
 *
 * Threads: affects the calling thread only. */
#ifndef RG_CONFIG_C_LOCALE_H
#define RG_CONFIG_C_LOCALE_H

#include <stdbool.h>

#include "core/cxx.h"

RG_C_BEGIN

struct rg_c_locale {
  void *own;
  void *previous;
};

/* Enters the "C" locale; false when there is no memory for it. Leave undoes it,
 * innermost first. */
bool rg_c_locale_enter(struct rg_c_locale *locale);
void rg_c_locale_leave(struct rg_c_locale *locale);

RG_C_END

#endif
