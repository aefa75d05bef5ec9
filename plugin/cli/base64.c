/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/base64.h"

#define NO_DIGIT (-1)

static int digit_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  return c == '/' || c == '_' ? 63 : NO_DIGIT;
}

/* The characters without the padding of a whole last group. */
static size_t without_padding(const char *text, size_t length) {
  size_t padding = 0;
  while (padding < 2 && padding < length && text[length - 1 - padding] == '=')
    padding++;
  return length % 4 == 0 ? length - padding : length;
}

static size_t first_bad(const char *text, size_t length) {
  size_t at = 0;
  while (at < length && digit_of(text[at]) != NO_DIGIT) at++;
  return at;
}

/* Six bits a character; what is left over in the end is no byte. */
static void decode(const char *text, size_t length, uint8_t *bytes) {
  uint32_t bits = 0;
  unsigned held = 0;
  for (size_t i = 0; i < length; i++) {
    bits = bits << 6 | (uint32_t)digit_of(text[i]);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    *bytes++ = (uint8_t)(bits >> held);
  }
}

struct rg_base64_result rg_base64_decode(const char *text, size_t length,
                                         uint8_t *bytes, size_t size) {
  struct rg_base64_result result = {.status = RG_BASE64_OK};
  size_t digits = without_padding(text, length);
  result.at = first_bad(text, digits);
  result.length = digits / 4 * 3 + digits % 4 * 3 / 4;
  if (result.at < digits)
    result.status = RG_BASE64_BAD_CHARACTER;
  else if (digits % 4 == 1)
    result.status = RG_BASE64_CUT_OFF;
  else if (result.length > size)
    result.status = RG_BASE64_TOO_LONG;
  else
    decode(text, digits, bytes);
  return result;
}
