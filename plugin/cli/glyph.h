/* SPDX-License-Identifier: Apache-2.0 */

/* One character of a text as a terminal shows it. Texts come from files, so
 * what a terminal would obey instead of show (escape sequences, other control
 * characters, changes of the writing direction, invisible marks) is shown as an
 * escape, "\u001b", and a byte that is not UTF-8 as "\xff".
 *
 * Threads: pure. The locale does not matter. */
#ifndef RG_CLI_GLYPH_H
#define RG_CLI_GLYPH_H

#include <stddef.h>

#include "core/cxx.h"

RG_C_BEGIN

#define RG_GLYPH_MAX_BYTES 8

struct rg_glyph {
  size_t taken;   /* bytes of the text, at least one */
  size_t length;  /* bytes of `shown` */
  size_t columns; /* that `shown` covers: 0 for what combines with the
                     character before, 2 for wide ones */
  char shown[RG_GLYPH_MAX_BYTES];
};

/* The first character of `text`, of `length` bytes, at least one. */
struct rg_glyph rg_glyph_read(const char *text, size_t length);

/* The columns that all of `text`, of `length` bytes, covers. */
size_t rg_glyph_columns(const char *text, size_t length);

RG_C_END

#endif
