/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/config_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads until the end or the room for one byte too many is used up; errno says
 * why not. */
static bool read_all(int file, char *text, size_t *length) {
  while (*length <= RG_CONFIG_FILE_MAX_BYTES) {
    ssize_t got =
        read(file, text + *length, RG_CONFIG_FILE_MAX_BYTES + 1 - *length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) return true;
    *length += (size_t)got;
  }
  return true;
}

static const char *read_text(int file, char *text) {
  size_t length = 0;
  if (!read_all(file, text, &length)) return strerror(errno);
  if (length > RG_CONFIG_FILE_MAX_BYTES) return "it is larger than 1 MiB";
  if (memchr(text, '\0', length) != NULL) return "it is no text";
  text[length] = '\0';
  return NULL;
}

static const char *read_regular(int file, char *text) {
  struct stat status;
  if (fstat(file, &status) != 0) return strerror(errno);
  if (S_ISDIR(status.st_mode)) return strerror(EISDIR);
  if (!S_ISREG(status.st_mode)) return "it is no regular file";
  return read_text(file, text);
}

char *rg_config_file_read(const char *path, const char **why) {
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) {
    *why = strerror(errno);
    return NULL;
  }
  char *text = malloc(RG_CONFIG_FILE_MAX_BYTES + 2);
  *why = text != NULL ? read_regular(file, text) : "out of memory";
  close(file);
  if (*why == NULL) return text;
  free(text);
  return NULL;
}
