/* SPDX-License-Identifier: Apache-2.0 */

/* A retry mark as a member of the W3C `baggage` entry, which OpenTelemetry
 * forwards through processes that know nothing of marks:
 *
 *   baggage: userId=alice,retry-layer=CghjaGVja291dBgB,region=eu;ttl=5
 *
 * The value is the mark in base64url without padding. Members of others are
 * never changed or cut.
 *
 * Threads: pure; no heap. */
#ifndef RG_HOST_BAGGAGE_H
#define RG_HOST_BAGGAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cxx.h"
#include "core/layer.h"
#include "host/mark.h"

RG_C_BEGIN

#define RG_BAGGAGE_KEY "baggage"

/* W3C Baggage, section 3.3.2: what every platform has to carry. */
#define RG_BAGGAGE_MAX_BYTES 8192
#define RG_BAGGAGE_MAX_MEMBERS 64

/* "retry-layer=", and four digits for three bytes. */
#define RG_BAGGAGE_MEMBER_MAX (12 + (RG_MARK_MAX_BYTES + 2) / 3 * 4)

/* Looks for a mark among the members of `text`; of several the first counts.
 * RG_MARK_UNDECODABLE for a member of ours that holds none. */
enum rg_mark_kind rg_baggage_read(const char *text, size_t length,
                                  struct rg_mark *mark);

/* Writes the member for an encoded mark, of at most RG_MARK_MAX_BYTES, to
 * `member`, of RG_BAGGAGE_MEMBER_MAX; returns the length. */
size_t rg_baggage_member(const void *mark, size_t mark_length, char *member);

/* Whether `text` is just that member, and so says nothing that `mark` does not
 * say; half as long as to read it and to find that out from what it says. */
bool rg_baggage_repeats(const char *text, size_t length, const void *mark,
                        size_t mark_length);

/* Writes `text` without our members and with `mark` (NULL: none) as the last
 * one to `out`, of RG_BAGGAGE_MAX_BYTES, and the length to `*out_length`. A
 * mark that would go over one of the limits is left out. False for a text that
 * is over them by itself: it is to be left as it is. */
bool rg_baggage_write(const char *text, size_t length,
                      const struct rg_mark *mark, char *out,
                      size_t *out_length);

/* Takes our members out of `text`, however long it is, and returns how many
 * bytes are left. */
size_t rg_baggage_strip(char *text, size_t length);

RG_C_END

#endif
