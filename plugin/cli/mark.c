/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mark.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/base64.h"
#include "cli/file.h"
#include "cli/glyph.h"
#include "cli/paper.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "config/text.h"
#include "host/mark.h"

/* What rg_mark_decode looks at, at most. */
#define DECODE_BYTES 1024

static const char help[] =
    "Usage: retry-guard mark VALUE...\n"
    "\n"
    "Decodes values of the metadata entry retry-layer-bin, by which layers\n"
    "of a call tree know that one above them retries: who does, how far the\n"
    "mark travelled, and which attempt it came with. A VALUE is base64, as\n"
    "gRPC has it on the wire; with - they are read from standard input, one\n"
    "a line.\n"
    "\n"
    "Exit status: 0, or 2 when a value is no mark.\n";

struct marks {
  struct rg_paper paper;
  bool titled; /* there are several: each says which it is */
  size_t shown;
  int status;
};

/* ---- Good ones ----------------------------------------------------------- */

static void show(struct marks *marks, const struct rg_mark *mark) {
  char owner[RG_OWNER_MAX + 1] = "(without a name)";
  char hops[64];
  char attempt[64];
  if (mark->owner_length > 0)
    snprintf(owner, sizeof owner, "%.*s", mark->owner_length, mark->owner);
  snprintf(hops, sizeof hops, "%" PRIu32 "%s", mark->hops,
           mark->hops == 0 ? ", as the owner sent it" : "");
  if (mark->attempt > 1)
    snprintf(attempt, sizeof attempt, "%" PRIu32 ", retry number %" PRIu32,
             mark->attempt, mark->attempt - 1);
  else
    strcpy(attempt, mark->attempt == 1 ? "1, the first" : "0, not told");
  const struct rg_cell cells[] = {
      {"owner", RG_INK_DIM}, {owner, RG_INK_PLAIN},   {"hops", RG_INK_DIM},
      {hops, RG_INK_PLAIN},  {"attempt", RG_INK_DIM}, {attempt, RG_INK_PLAIN},
  };
  struct rg_table table = {
      .cells = cells, .rows = 3, .columns = 2, .indent = marks->titled ? 2 : 0};
  rg_table_write(&table, &marks->paper);
}

static void show_title(struct marks *marks, const char *value, size_t length) {
  if (!marks->titled) return;
  if (marks->shown++ > 0) rg_paper_newline(&marks->paper);
  rg_paper_put(&marks->paper, RG_INK_BOLD, "%.*s", (int)length, value);
  rg_paper_newline(&marks->paper);
}

/* ---- Bad ones ------------------------------------------------------------ */

static void say_bad_base64(const char *quoted, const char *value, size_t length,
                           const struct rg_base64_result *result) {
  char found[RG_TEXT_QUOTED_SIZE];
  struct rg_glyph glyph;
  switch (result->status) {
    case RG_BASE64_BAD_CHARACTER:
      glyph = rg_glyph_read(value + result->at, length - result->at);
      rg_text_quote(value + result->at, glyph.taken, found);
      rg_cli_error("%s is not base64: its character %zu is %s", quoted,
                   result->at + 1, found);
      break;
    case RG_BASE64_CUT_OFF:
      rg_cli_error("%s is not base64: something is missing at its end", quoted);
      break;
    default:
      rg_cli_error(
          "%s is too long for a mark: %zu bytes, and none has more "
          "than %d",
          quoted, result->length, RG_MARK_MAX_BYTES);
  }
}

static void say_no_mark(const char *quoted, size_t length) {
  if (length > RG_MARK_MAX_BYTES)
    rg_cli_error(
        "%s is no mark: it has %zu bytes, and no mark has more than "
        "%d",
        quoted, length, RG_MARK_MAX_BYTES);
  else
    rg_cli_error(
        "%s is no mark: its %zu bytes are no LayerMark message, or the "
        "owner's name is longer than %d bytes",
        quoted, length, RG_OWNER_MAX);
}

/* ---- All ----------------------------------------------------------------- */

static void read_value(struct marks *marks, const char *value, size_t length) {
  uint8_t bytes[DECODE_BYTES];
  struct rg_mark mark;
  char quoted[RG_TEXT_QUOTED_SIZE];
  rg_text_quote(value, length, quoted);
  struct rg_base64_result result =
      rg_base64_decode(value, length, bytes, sizeof bytes);
  bool decoded = result.status == RG_BASE64_OK;
  if (decoded && rg_mark_decode(bytes, result.length, &mark)) {
    show_title(marks, value, length);
    show(marks, &mark);
    return;
  }
  if (decoded)
    say_no_mark(quoted, result.length);
  else
    say_bad_base64(quoted, value, length, &result);
  marks->status = RG_CLI_ERRORS;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* Values are pasted with what stood around them. */
static void read_line(struct marks *marks, const char *line, size_t length) {
  while (length > 0 && is_blank(line[length - 1])) length--;
  while (length > 0 && is_blank(*line)) line++, length--;
  if (length > 0) read_value(marks, line, length);
}

static void read_lines(struct marks *marks) {
  struct rg_file file;
  const char *fault = rg_file_read("-", &file);
  marks->titled = true;
  if (fault != NULL) {
    rg_cli_error("%s: %s", rg_file_name("-"), fault);
    marks->status = RG_CLI_ERRORS;
    return;
  }
  const char *end = file.bytes + file.length;
  for (const char *line = file.bytes; line < end;) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    if (stop == NULL) stop = end;
    read_line(marks, line, (size_t)(stop - line));
    line = stop + 1;
  }
  rg_file_clean_up(&file);
}

int rg_cli_mark(int argc, char **argv) {
  static const struct option options[] = {{"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  int option = rg_cli_option(argc, argv, options);
  if (option == RG_CLI_BAD_OPTION) return RG_CLI_USAGE;
  if (option == 'h') return fputs(help, stdout), RG_CLI_OK;
  if (optind == argc) return rg_cli_usage_error(argv[0], "mark: which VALUE?");
  struct marks marks = {.paper = rg_paper_on(stdout),
                        .titled = argc - optind > 1};
  for (int i = optind; i < argc; i++) {
    if (strcmp(argv[i], "-") == 0)
      read_lines(&marks);
    else
      read_value(&marks, argv[i], strlen(argv[i]));
  }
  return marks.status;
}
