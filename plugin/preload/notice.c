/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/notice.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HEAD "retry-guard: "

const char *rg_notice_program(void) {
  const char *name = program_invocation_short_name;
  return name != NULL && name[0] != '\0' ? name : "the program";
}

static void write_all(const char *text, size_t length) {
  while (length > 0) {
    ssize_t written = write(STDERR_FILENO, text, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text += written;
    length -= (size_t)written;
  }
}

static bool is_pending(int number) {
  sigset_t pending;
  sigemptyset(&pending);
  sigpending(&pending);
  return sigismember(&pending, number) == 1;
}

/* The program's own SIGPIPE, if one is pending, is left to it. */
static void write_without_sigpipe(const char *text, size_t length) {
  const struct timespec at_once = {0, 0};
  sigset_t pipe;
  sigset_t before;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  bool was_pending = is_pending(SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  write_all(text, length);
  if (!was_pending && is_pending(SIGPIPE)) sigtimedwait(&pipe, NULL, &at_once);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void make_printable(char *text) {
  for (; *text != '\0'; text++)
    if ((unsigned char)*text < ' ' || *text == 0x7f) *text = '?';
}

void rg_notice(const char *format, ...) {
  int saved = errno;
  char line[RG_NOTICE_MAX_BYTES] = HEAD;
  size_t head = sizeof HEAD - 1;
  va_list args;
  va_start(args, format);
  vsnprintf(line + head, sizeof line - head - 1, format, args);
  va_end(args);
  make_printable(line);
  size_t length = strlen(line);
  line[length] = '\n';
  write_without_sigpipe(line, length + 1);
  errno = saved;
}
