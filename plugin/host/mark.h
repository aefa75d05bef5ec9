/* SPDX-License-Identifier: Apache-2.0 */

/* The wire form of a retry mark (layer_mark.proto): the value of the metadata
 * entry `retry-layer-bin`.
 *
 * Threads: pure; no heap. */
#ifndef RG_HOST_MARK_H
#define RG_HOST_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cxx.h"
#include "core/layer.h"

RG_C_BEGIN

#define RG_MARK_KEY "retry-layer-bin"

/* A mark never needs more bytes than this. */
#define RG_MARK_MAX_BYTES 96

/* Writes `mark` to `bytes` (of RG_MARK_MAX_BYTES); returns the length. */
size_t rg_mark_encode(const struct rg_mark *mark, uint8_t *bytes);

/* Reads `length` bytes. False for anything that is no mark, or whose owner's
 * name is too long; `mark` is then unspecified. */
bool rg_mark_decode(const void *bytes, size_t length, struct rg_mark *mark);

RG_C_END

#endif
