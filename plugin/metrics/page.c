/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "config/text.h"

/* ---- Bytes --------------------------------------------------------------- */

static void flush(struct rg_page *page) {
  if (!page->ended && page->used > 0)
    page->ended = !page->write(page->piece, page->used, page->arg);
  page->used = 0;
}

static void put_bytes(struct rg_page *page, const char *bytes, size_t length) {
  while (length > 0 && !page->ended) {
    size_t room = sizeof page->piece - page->used;
    size_t part = length < room ? length : room;
    memcpy(page->piece + page->used, bytes, part);
    page->used += part;
    bytes += part;
    length -= part;
    if (page->used == sizeof page->piece) flush(page);
  }
}

static void put(struct rg_page *page, const char *text) {
  put_bytes(page, text, strlen(text));
}

/* ---- Families ------------------------------------------------------------ */

static bool is_open(const struct rg_page *page) {
  return page->format == RETRY_GUARD_METRICS_OPENMETRICS;
}

/* The older format has no type for what never changes, and takes a family's
 * name for that of its samples. */
static const char *type_text(const struct rg_page *page,
                             enum rg_metric_type type) {
  switch (type) {
    case RG_METRIC_COUNTER:
      return "counter";
    case RG_METRIC_HISTOGRAM:
      return "histogram";
    case RG_METRIC_INFO:
      return is_open(page) ? "info" : "gauge";
    default:
      return "gauge";
  }
}

static const char *suffix_of(enum rg_metric_type type) {
  if (type == RG_METRIC_COUNTER) return "_total";
  return type == RG_METRIC_INFO ? "_info" : "";
}

static void put_about(struct rg_page *page, const char *what,
                      const struct rg_family *family, const char *text) {
  put(page, what);
  put(page, family->name);
  if (!is_open(page)) put(page, suffix_of(family->type));
  put(page, " ");
  put(page, text);
  put(page, "\n");
}

void rg_page_family(struct rg_page *page, const struct rg_family *family) {
  put_about(page, "# HELP ", family, family->help);
  put_about(page, "# TYPE ", family, type_text(page, family->type));
  if (is_open(page) && family->unit != NULL)
    put_about(page, "# UNIT ", family, family->unit);
}

/* ---- Samples ------------------------------------------------------------- */

/* The two formats escape these three, and only these. */
static const char *escape_of(char c) {
  switch (c) {
    case '\\':
      return "\\\\";
    case '"':
      return "\\\"";
    case '\n':
      return "\\n";
    default:
      return NULL;
  }
}

static void put_value(struct rg_page *page, const char *text) {
  while (*text != '\0') {
    size_t length = rg_text_character(text);
    const char *escape = escape_of(*text);
    if (escape != NULL) {
      put(page, escape);
    } else if (length > 0) {
      put_bytes(page, text, length);
    } else {
      char hex[8];
      snprintf(hex, sizeof hex, "\\\\x%02x", (unsigned char)*text);
      put(page, hex);
    }
    text += length > 0 ? length : 1;
  }
}

static void put_labels(struct rg_page *page, const struct rg_labels *labels) {
  const char *before = "{";
  for (size_t i = 0; i < RG_LABELS_MAX; i++) {
    const struct rg_label *label = &labels->at[i];
    if (label->key == NULL) continue;
    put(page, before);
    put(page, label->key);
    put(page, "=\"");
    put_value(page, label->value);
    put(page, "\"");
    before = ",";
  }
  put(page, *before == ',' ? "} " : " ");
}

static void put_name(struct rg_page *page, const struct rg_family *family,
                     const char *suffix, const struct rg_labels *labels) {
  put(page, family->name);
  put(page, suffix_of(family->type));
  put(page, suffix);
  put_labels(page, labels);
}

void rg_page_sample(struct rg_page *page, const struct rg_family *family,
                    const char *suffix, struct rg_labels labels,
                    uint64_t value) {
  char text[32];
  put_name(page, family, suffix, &labels);
  snprintf(text, sizeof text, "%" PRIu64 "\n", value);
  put(page, text);
}

const char *rg_milli_text(uint64_t milli, char *text) {
  if (milli == UINT64_MAX) return strcpy(text, "+Inf");
  int length = snprintf(text, RG_MILLI_SIZE, "%" PRIu64 ".%03u", milli / 1000,
                        (unsigned)(milli % 1000));
  while (text[length - 1] == '0' && text[length - 2] != '.') length--;
  text[length] = '\0';
  return text;
}

void rg_page_sample_milli(struct rg_page *page, const struct rg_family *family,
                          const char *suffix, struct rg_labels labels,
                          uint64_t milli) {
  char text[RG_MILLI_SIZE];
  put_name(page, family, suffix, &labels);
  put(page, rg_milli_text(milli, text));
  put(page, "\n");
}

void rg_page_end(struct rg_page *page) {
  if (is_open(page)) put(page, "# EOF\n");
  flush(page);
}
