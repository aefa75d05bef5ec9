/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES ((size_t)64 << 10)

static const char no_memory[] = "there is not enough memory for it";
static const char too_large[] = "it is larger than 64 MiB";

static bool is_stdin(const char *path) { return strcmp(path, "-") == 0; }

const char *rg_file_name(const char *path) {
  return is_stdin(path) ? "standard input" : path;
}

void rg_file_clean_up(struct rg_file *file) {
  free(file->bytes);
  *file = (struct rg_file){.bytes = NULL};
}

/* Makes room for more bytes, and the NUL. One byte above the bound may come in,
 * which tells that there are too many. */
static bool grow(struct rg_file *file, size_t *capacity) {
  size_t wanted = *capacity == 0 ? FIRST_BYTES : *capacity * 2;
  if (wanted > RG_FILE_MAX_BYTES + 1) wanted = RG_FILE_MAX_BYTES + 1;
  char *bytes = realloc(file->bytes, wanted + 1);
  if (bytes == NULL) return false;
  file->bytes = bytes;
  *capacity = wanted;
  return true;
}

static const char *read_all(FILE *in, struct rg_file *file) {
  size_t capacity = 0;
  size_t got;
  do {
    if (file->length == capacity && !grow(file, &capacity)) return no_memory;
    errno = 0;
    got = fread(file->bytes + file->length, 1, capacity - file->length, in);
    file->length += got;
    if (file->length > RG_FILE_MAX_BYTES) return too_large;
  } while (got > 0);
  if (ferror(in)) return strerror(errno);
  file->bytes[file->length] = '\0';
  return NULL;
}

const char *rg_file_read(const char *path, struct rg_file *file) {
  *file = (struct rg_file){.bytes = NULL};
  FILE *in = is_stdin(path) ? stdin : fopen(path, "rbe");
  if (in == NULL) return strerror(errno);
  const char *fault = read_all(in, file);
  if (in != stdin) fclose(in);
  if (fault != NULL) rg_file_clean_up(file);
  return fault;
}
