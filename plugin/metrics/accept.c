/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics/accept.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#define BLANKS " \t"

/* What is left of a header, taken apart from its begin. */
struct text {
  const char *at;
  size_t length;
};

/* Cuts off what comes before `separator`, or all, without blanks around. */
static struct text cut(struct text *rest, char separator) {
  const char *end = memchr(rest->at, separator, rest->length);
  struct text part = *rest;
  if (end != NULL) part.length = (size_t)(end - rest->at);
  size_t taken = part.length + (end != NULL ? 1 : 0);
  rest->at += taken;
  rest->length -= taken;
  while (part.length > 0 && strchr(BLANKS, *part.at) != NULL)
    part.at++, part.length--;
  while (part.length > 0 && strchr(BLANKS, part.at[part.length - 1]) != NULL)
    part.length--;
  return part;
}

static bool is(struct text text, const char *word) {
  return text.length == strlen(word) &&
         strncasecmp(text.at, word, text.length) == 0;
}

/* "0.75" in thousandths; what is no weight counts as 1, as if there was none.
 */
static int read_weight(struct text text) {
  int milli = 0;
  int unit = 100;
  if (text.length == 0 || (*text.at != '0' && *text.at != '1')) return 1000;
  if (*text.at == '1') return 1000;
  for (size_t i = 2; i < text.length && unit > 0; i++, unit /= 10) {
    if (text.at[i] < '0' || text.at[i] > '9') return 1000;
    milli += unit * (text.at[i] - '0');
  }
  return milli;
}

static int weight_of(struct text parameters) {
  while (parameters.length > 0) {
    struct text value = cut(&parameters, ';');
    if (is(cut(&value, '='), "q")) return read_weight(value);
  }
  return 1000;
}

static int larger(int a, int b) { return a > b ? a : b; }

retry_guard_metrics_format rg_accept_format(const char *accept) {
  int open = 0;
  int plain = 0;
  if (accept == NULL) return RETRY_GUARD_METRICS_PROMETHEUS;
  struct text rest = {accept, strlen(accept)};
  while (rest.length > 0) {
    struct text range = cut(&rest, ',');
    struct text type = cut(&range, ';');
    if (is(type, "application/openmetrics-text"))
      open = larger(open, weight_of(range));
    else if (is(type, "text/plain"))
      plain = larger(plain, weight_of(range));
  }
  return open > 0 && open >= plain ? RETRY_GUARD_METRICS_OPENMETRICS
                                   : RETRY_GUARD_METRICS_PROMETHEUS;
}
