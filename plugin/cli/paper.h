/* SPDX-License-Identifier: Apache-2.0 */

/* What people read: text on a stream, in colours and wrapped where that helps.
 * All texts are UTF-8 and may come from files: they are written as glyph.h
 * says, so nothing in them reaches a terminal as a command. A newline is no
 * exception; lines end by rg_paper_newline only.
 *
 * Threads: a paper has one owner. */
#ifndef RG_CLI_PAPER_H
#define RG_CLI_PAPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/cxx.h"

RG_C_BEGIN

enum rg_ink {
  RG_INK_PLAIN,
  RG_INK_BOLD,
  RG_INK_RED,
  RG_INK_YELLOW,
  RG_INK_DIM,
};

#define RG_PAPER_WIDTH 80      /* where nothing says how wide it is */
#define RG_PAPER_MIN_WIDTH 20  /* narrower ones are written on as if so wide */
#define RG_PAPER_MAX_WIDTH 100 /* longer lines are hard to read */

/* The caller's memory. */
struct rg_paper {
  FILE *out;
  size_t width;  /* columns */
  size_t column; /* where the next character goes, from 0 */
  bool coloured;
};

/* The paper on `out`, which must outlive it and stands at the begin of a line.
 * It is coloured where `out` is a terminal, unless TERM is "dumb" or unset or
 * NO_COLOR is set to something. Its width is what COLUMNS says, otherwise the
 * terminal's own, within the bounds above. */
struct rg_paper rg_paper_on(FILE *out);

/* Writes the text; `format` is printf's. It is not wrapped. Without memory for
 * the text it is left out, here and below. */
void rg_paper_put(struct rg_paper *paper, enum rg_ink ink, const char *format,
                  ...) __attribute__((format(printf, 3, 4)));

/* Writes the words of the text, from where the paper is. Lines that would be
 * too long are broken between words, and go on at the column `hang`. A word
 * that fits on no line stands on one of its own, unbroken. */
void rg_paper_wrap(struct rg_paper *paper, size_t hang, enum rg_ink ink,
                   const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Moves on to `column` with spaces; stays where it is beyond that. */
void rg_paper_indent(struct rg_paper *paper, size_t column);

void rg_paper_newline(struct rg_paper *paper);

/* Whether any text was left out, for want of memory, since this was last asked
 * for. */
bool rg_paper_lost_text(void);

RG_C_END

#endif
