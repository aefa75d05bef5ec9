/* SPDX-License-Identifier: Apache-2.0 */

/* What one process of a game-day is to do, and what it sees. A file that is
 * mapped by it and by those who started it, so that what a killed server has
 * seen is not lost, and its successor goes on with it.
 *
 * Threads: the first half is written before the process starts, by the other
 * side; the second half by the process, each field by one thread at a time. */
#ifndef RG_TEST_GAMEDAY_SHEET_H
#define RG_TEST_GAMEDAY_SHEET_H

#include "gameday/fit.h"
#include "sim/fleet.h"
#include "sim/record.h"

RG_C_BEGIN

#define RG_SHEET_TIERS 8
#define RG_SHEET_TEXT 1024

/* What was planned for a moment: calls that were to begin, and work that was to
 * end; how much of that came over 50 ms late, and the worst. */
struct rg_punctuality {
  uint64_t planned;
  uint64_t late;
  uint64_t latest_ns;
};

struct rg_sheet {
  char scenario[RG_SHEET_TEXT]; /* a file */
  struct rg_fit fit;
  size_t variant;
  uint64_t seed;
  uint64_t begin_ns; /* CLOCK_MONOTONIC */
  size_t load;       /* of a client */
  size_t tier;       /* of a server */
  uint32_t instance;
  int port; /* of a server; 0: it chooses, and says so here */
  /* "127.0.0.1:1,127.0.0.1:2", the servers of each tier. */
  char addresses[RG_SHEET_TIERS][RG_SHEET_TEXT];

  struct rg_run_totals totals;
  struct rg_punctuality punctuality;
  size_t slice_count; /* that follow in memory */
};

/* Makes the file, zeroed but for `slice_count`; or opens it. NULL with the
 * reason on standard error. */
struct rg_sheet *rg_sheet_new(const char *path, size_t slice_count);
struct rg_sheet *rg_sheet_open(const char *path);

/* NULL is ignored. The file stays. */
void rg_sheet_close(struct rg_sheet *sheet);

/* The slices, borrowed. */
struct rg_record rg_sheet_record(struct rg_sheet *sheet);

/* Something that was planned for `due` happened at `now`. */
void rg_sheet_note_time(struct rg_sheet *sheet, uint64_t due, uint64_t now);

RG_C_END

#endif
