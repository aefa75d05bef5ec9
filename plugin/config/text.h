/* SPDX-License-Identifier: Apache-2.0 */

/* Values as faults show them.
 *
 * Threads: pure. */
#ifndef RG_CONFIG_TEXT_H
#define RG_CONFIG_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cxx.h"

RG_C_BEGIN

#define RG_TEXT_NUMBER_SIZE 32
#define RG_TEXT_QUOTED_SIZE 64

/* Writes the shortest text that reads back as `value`, with a decimal point
 * whatever the locale; `text` has RG_TEXT_NUMBER_SIZE bytes. */
void rg_text_number(double value, char *text);

/* Reads all of `text`, with spaces around it, as strtod does, whatever the
 * locale; false: it is none, or there is no memory to read it. */
bool rg_text_read_number(const char *text, double *value);

/* Writes `string` (UTF-8 of `length` bytes) as JSON would, in quotes and
 * without control characters, which could forge lines in a log. A long one is
 * cut and ends in "...". `text` has RG_TEXT_QUOTED_SIZE bytes. */
void rg_text_quote(const char *string, size_t length, char *text);

#define RG_TEXT_NO_CHARACTER UINT32_MAX

/* The character that `text`, UTF-8 of `length` bytes, begins with, and in
 * `taken` how many bytes it is; RG_TEXT_NO_CHARACTER and 1 where it begins with
 * none, or is empty. */
uint32_t rg_text_decode(const char *text, size_t length, size_t *taken);

/* The bytes of the whole character of UTF-8 that `text`, which ends in NUL,
 * begins with; 0: it is a control character, none at all, or the end. */
size_t rg_text_character(const char *text);

/* Replaces each control character and each byte that belongs to no whole
 * character of UTF-8 in `text` by '?'. */
void rg_text_printable(char *text);

RG_C_END

#endif
