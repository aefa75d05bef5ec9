/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/screen.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The other screen of the terminal, without a cursor; and back. */
static const char enter[] = "\033[?1049h\033[?25l";
static const char leave[] = "\033[?25h\033[?1049l";

static const int ends[] = {SIGINT, SIGTERM, SIGHUP};

#define ENDS (sizeof ends / sizeof ends[0])

bool rg_screen_is_possible(void) {
  const char *term = getenv("TERM");
  return isatty(STDOUT_FILENO) && term != NULL && *term != '\0' &&
         strcmp(term, "dumb") != 0;
}

size_t rg_screen_lines(void) {
  struct winsize size = {0};
  bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
  return known ? size.ws_row : RG_SCREEN_LINES;
}

/* The signal then ends the command as it would have. */
static void on_end(int number) {
  ssize_t written = write(STDOUT_FILENO, leave, sizeof leave - 1);
  (void)written;
  raise(number); /* blocked until the handler returns */
}

void rg_screen_enter(void) {
  struct sigaction action = {.sa_handler = on_end,
                             .sa_flags = (int)SA_RESETHAND};
  for (size_t i = 0; i < ENDS; i++) sigaction(ends[i], &action, NULL);
  fputs(enter, stdout);
  fflush(stdout);
}

/* Line by line over what is there, which flickers less than an empty screen. */
void rg_screen_show(const char *text) {
  size_t left = rg_screen_lines();
  fputs("\033[H", stdout);
  while (*text != '\0' && left-- > 0) {
    size_t length = strcspn(text, "\n");
    fwrite(text, 1, length, stdout);
    text += length;
    if (*text == '\n') text++;
    /* No newline after the last one, which would scroll. */
    fputs(left > 0 && *text != '\0' ? "\033[K\r\n" : "\033[K", stdout);
  }
  fputs("\033[J", stdout);
  fflush(stdout);
}

void rg_screen_leave(void) {
  fputs(leave, stdout);
  fflush(stdout);
  for (size_t i = 0; i < ENDS; i++) signal(ends[i], SIG_DFL);
}
