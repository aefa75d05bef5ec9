/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/drawing.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/verb.h"

static void become_gnuplot(int in) {
  char *const arguments[] = {"gnuplot", "-", NULL};
  signal(SIGPIPE, SIG_DFL);
  setenv("LC_ALL", "C.UTF-8", 1); /* titles are UTF-8 wherever this runs */
  if (dup2(in, STDIN_FILENO) >= 0) execvp(arguments[0], arguments);
  _exit(RG_CLI_NOT_FOUND);
}

static int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* All of it is in a file before gnuplot begins, so that none waits for the
 * other, and an end of it that comes early does no harm. */
static int run_gnuplot(FILE *script) {
  rewind(script);
  pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) become_gnuplot(fileno(script));
  return status_of(child);
}

static bool draw(const struct rg_results *results, enum rg_picture_kind kind,
                 const char *path, FILE *script) {
  if (!rg_picture_write_script(results, kind, path, script) ||
      fflush(script) != 0) {
    rg_cli_error("%s: could not be drawn: %s", path, strerror(errno));
    return false;
  }
  int status = run_gnuplot(script);
  if (status == RG_CLI_NOT_FOUND)
    rg_cli_error("%s: could not be drawn: install gnuplot", path);
  else if (status != 0)
    rg_cli_error("%s: could not be drawn: gnuplot failed", path);
  return status == 0;
}

bool rg_drawing_make(const struct rg_results *results,
                     enum rg_picture_kind kind, const char *path) {
  FILE *script = tmpfile();
  if (script == NULL) {
    rg_cli_error("%s: could not be drawn: %s", path, strerror(errno));
    return false;
  }
  bool drawn = draw(results, kind, path, script);
  fclose(script);
  return drawn;
}
