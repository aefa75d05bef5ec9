/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/paper.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/glyph.h"

/* ---- What the paper is like ---------------------------------------------- */

static bool is_set(const char *variable) {
  const char *value = getenv(variable);
  return value != NULL && value[0] != '\0';
}

static bool wants_colour(int fd) {
  return isatty(fd) && is_set("TERM") && strcmp(getenv("TERM"), "dumb") != 0 &&
         !is_set("NO_COLOR");
}

/* 0: nothing says. */
static size_t known_width(int fd) {
  struct winsize size = {0};
  const char *columns = getenv("COLUMNS");
  long wanted = columns != NULL ? strtol(columns, NULL, 10) : 0;
  if (wanted > 0) return (size_t)wanted;
  return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static size_t width_of(int fd) {
  size_t width = known_width(fd);
  if (width == 0) return RG_PAPER_WIDTH;
  if (width < RG_PAPER_MIN_WIDTH) return RG_PAPER_MIN_WIDTH;
  return width < RG_PAPER_MAX_WIDTH ? width : RG_PAPER_MAX_WIDTH;
}

struct rg_paper rg_paper_on(FILE *out) {
  int fd = fileno(out);
  return (struct rg_paper){
      .out = out, .width = width_of(fd), .coloured = wants_colour(fd)};
}

/* ---- Writing ------------------------------------------------------------- */

static void start_ink(const struct rg_paper *paper, enum rg_ink ink) {
  static const char *const sequences[] = {
      [RG_INK_PLAIN] = "",       [RG_INK_BOLD] = "\033[1m",
      [RG_INK_RED] = "\033[31m", [RG_INK_YELLOW] = "\033[33m",
      [RG_INK_DIM] = "\033[2m",
  };
  if (paper->coloured) fputs(sequences[ink], paper->out);
}

static void end_ink(const struct rg_paper *paper, enum rg_ink ink) {
  if (paper->coloured && ink != RG_INK_PLAIN) fputs("\033[0m", paper->out);
}

static void write_glyphs(struct rg_paper *paper, const char *text,
                         size_t length) {
  for (size_t at = 0; at < length;) {
    struct rg_glyph glyph = rg_glyph_read(text + at, length - at);
    fwrite(glyph.shown, 1, glyph.length, paper->out);
    paper->column += glyph.columns;
    at += glyph.taken;
  }
}

void rg_paper_newline(struct rg_paper *paper) {
  putc('\n', paper->out);
  paper->column = 0;
}

void rg_paper_indent(struct rg_paper *paper, size_t column) {
  for (; paper->column < column; paper->column++) putc(' ', paper->out);
}

/* Writes one word after what is there: on this line, if it fits or the line has
 * nothing else. */
static void write_word(struct rg_paper *paper, const char *word, size_t length,
                       size_t hang, bool first) {
  size_t space = first ? 0 : 1;
  bool fits =
      paper->column + space + rg_glyph_columns(word, length) <= paper->width;
  if (!fits && paper->column > hang) {
    rg_paper_newline(paper);
    rg_paper_indent(paper, hang);
  } else if (!first) {
    rg_paper_indent(paper, paper->column + 1);
  }
  write_glyphs(paper, word, length);
}

static void write_words(struct rg_paper *paper, size_t hang, const char *text) {
  bool first = true;
  for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
    size_t length = strcspn(text, " ");
    write_word(paper, text, length, hang, first);
    text += length;
    first = false;
  }
}

/* On any paper: what matters is that the command must not look successful. */
static bool text_was_lost;

/* The text, to be freed; NULL without memory. */
static char *format_text(const char *format, va_list args)
    __attribute__((format(printf, 1, 0)));

static char *format_text(const char *format, va_list args) {
  char *text = NULL;
  if (vasprintf(&text, format, args) >= 0) return text;
  text_was_lost = true;
  return NULL;
}

bool rg_paper_lost_text(void) {
  bool lost = text_was_lost;
  text_was_lost = false;
  return lost;
}

void rg_paper_put(struct rg_paper *paper, enum rg_ink ink, const char *format,
                  ...) {
  va_list args;
  va_start(args, format);
  char *text = format_text(format, args);
  va_end(args);
  if (text == NULL) return;
  start_ink(paper, ink);
  write_glyphs(paper, text, strlen(text));
  end_ink(paper, ink);
  free(text);
}

void rg_paper_wrap(struct rg_paper *paper, size_t hang, enum rg_ink ink,
                   const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *text = format_text(format, args);
  va_end(args);
  if (text == NULL) return;
  start_ink(paper, ink);
  write_words(paper, hang, text);
  end_ink(paper, ink);
  free(text);
}
