/* SPDX-License-Identifier: Apache-2.0 */

/* Durations in the JSON mapping of protobuf: "3s", "0.1s", "-0.000000001s".
 * Integers all the way: 0.1 s is 100,000,000 ns and nothing else.
 *
 * Threads: pure. */
#ifndef RG_CONFIG_DURATION_H
#define RG_CONFIG_DURATION_H

#include <stddef.h>
#include <stdint.h>

#include "core/cxx.h"

RG_C_BEGIN

/* What protobuf allows: 10,000 years either way. */
#define RG_DURATION_MAX_S INT64_C(315576000000)

#define RG_DURATION_TEXT_SIZE 32

/* Both parts have the same sign, or are 0. */
struct rg_duration {
  int64_t seconds;
  int32_t nanos;
};

enum rg_duration_status {
  RG_DURATION_OK,
  RG_DURATION_MALFORMED,
  RG_DURATION_TOO_LONG, /* beyond RG_DURATION_MAX_S either way */
};

/* Reads all of `text`: an optional minus, digits, at most nine decimals, "s".
 * `duration` is written with RG_DURATION_OK only. */
enum rg_duration_status rg_duration_parse(const char *text, size_t length,
                                          struct rg_duration *duration);

/* Writes `duration` without needless zeros; `text` has RG_DURATION_TEXT_SIZE
 * bytes. */
void rg_duration_write(struct rg_duration duration, char *text);

/* The duration of `ms` milliseconds, and of `ns` nanoseconds. */
struct rg_duration rg_duration_from_ms(int64_t ms);
struct rg_duration rg_duration_from_ns(uint64_t ns);

/* Writes `ms` milliseconds as rg_duration_write does; returns `text`. */
const char *rg_duration_write_ms(uint64_t ms, char *text);

/* Negative, 0 or positive as `a` is shorter than, as long as or longer than
 * `b`. */
int rg_duration_compare(struct rg_duration a, struct rg_duration b);

/* Nanoseconds; 0 for a negative duration, at most UINT64_MAX. */
uint64_t rg_duration_ns(struct rg_duration duration);

RG_C_END

#endif
