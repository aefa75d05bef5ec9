/* SPDX-License-Identifier: Apache-2.0 */

/* Base64 as gRPC has it on the wire for metadata whose key ends in "-bin":
 * padded or not. The alphabet for URLs is understood as well.
 *
 * Threads: pure. */
#ifndef RG_CLI_BASE64_H
#define RG_CLI_BASE64_H

#include <stddef.h>
#include <stdint.h>

#include "core/cxx.h"

RG_C_BEGIN

enum rg_base64_status {
  RG_BASE64_OK,
  RG_BASE64_BAD_CHARACTER, /* also padding at the wrong place */
  RG_BASE64_CUT_OFF,       /* the last group is a single character */
  RG_BASE64_TOO_LONG,
};

struct rg_base64_result {
  enum rg_base64_status status;
  size_t at;     /* of a bad character, from 0 */
  size_t length; /* of the bytes, with RG_BASE64_OK */
};

/* Decodes `text`, of `length` characters, into `bytes`, which has room for
 * `size`. */
struct rg_base64_result rg_base64_decode(const char *text, size_t length,
                                         uint8_t *bytes, size_t size);

RG_C_END

#endif
