/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/glyph.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "config/text.h"

/* ---- Kinds of characters ------------------------------------------------- */

struct range {
  uint32_t first;
  uint32_t last;
};

/* What a terminal obeys, and what makes a text look like another. */
static const struct range unseen[] = {
    {0x0000, 0x001F}, {0x007F, 0x009F}, {0x00AD, 0x00AD}, {0x061C, 0x061C},
    {0x200B, 0x200B}, {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
    {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB},
};

/* The blocks of combining characters and joiners. */
static const struct range combining[] = {
    {0x0300, 0x036F},   {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x064B, 0x065F},
    {0x0E34, 0x0E3A},   {0x0E47, 0x0E4E}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
    {0x200C, 0x200D},   {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
    {0xE0000, 0xE0FFF},
};

/* East Asian blocks and the pictures. */
static const struct range wide[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x4DBF},
    {0x4E00, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6},   {0x16FE0, 0x18AFF}, {0x1B000, 0x1B2FF},
    {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1FAFF},
    {0x20000, 0x3FFFD},
};

#define IS(kind, code) is_among(kind, sizeof kind / sizeof kind[0], code)

static bool is_among(const struct range *ranges, size_t count, uint32_t code) {
  for (size_t i = 0; i < count; i++)
    if (code >= ranges[i].first && code <= ranges[i].last) return true;
  return false;
}

static size_t columns_of(uint32_t code) {
  if (code < 0x0300) return 1;
  if (IS(combining, code)) return 0;
  return IS(wide, code) ? 2 : 1;
}

/* ---- Glyphs -------------------------------------------------------------- */

static void show_escape(struct rg_glyph *glyph, const char *format,
                        uint32_t value) {
  glyph->length =
      (size_t)snprintf(glyph->shown, sizeof glyph->shown, format, value);
  glyph->columns = glyph->length;
}

struct rg_glyph rg_glyph_read(const char *text, size_t length) {
  struct rg_glyph glyph = {0};
  uint32_t code = rg_text_decode(text, length, &glyph.taken);
  if (code == RG_TEXT_NO_CHARACTER) {
    show_escape(&glyph, "\\x%02x", (unsigned char)text[0]);
  } else if (IS(unseen, code)) {
    show_escape(&glyph, "\\u%04x", code);
  } else {
    memcpy(glyph.shown, text, glyph.taken);
    glyph.length = glyph.taken;
    glyph.columns = columns_of(code);
  }
  return glyph;
}

size_t rg_glyph_columns(const char *text, size_t length) {
  size_t columns = 0;
  for (size_t at = 0; at < length;) {
    struct rg_glyph glyph = rg_glyph_read(text + at, length - at);
    columns += glyph.columns;
    at += glyph.taken;
  }
  return columns;
}
