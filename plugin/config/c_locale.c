/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "config/c_locale.h"

#include <locale.h>
#include <stddef.h>

bool rg_c_locale_enter(struct rg_c_locale *locale) {
  locale_t own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (own == (locale_t)0) return false;
  locale->own = own;
  locale->previous = uselocale(own);
  return true;
}

void rg_c_locale_leave(struct rg_c_locale *locale) {
  uselocale((locale_t)locale->previous);
  freelocale((locale_t)locale->own);
}
