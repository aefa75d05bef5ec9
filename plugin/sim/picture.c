/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/picture.h"

#include <inttypes.h>

#define AROUND_S 6.0 /* of the trouble is in the histogram */

/* In pixels. */
#define WIDTH 900
#define HEAD 88
#define RUN 250
#define FOOT 190

/* Distinct in print and to eyes that see few colours: blue for what the caller
 * wanted, ever redder for what was tried again. */
static const char *const attempt_colours[RG_RECORD_ATTEMPTS] = {
    "#4477aa", "#ddcc77", "#ee8866", "#cc6677", "#aa3377", "#661144"};

struct frame {
  const struct rg_results *results;
  size_t runs;
  double from; /* seconds that are shown */
  double until;
  double trouble_from;
  double trouble_until;
  double most_arrivals; /* in any second that is shown */
  double most_queue;
  double most_open;
  double most_in_slice; /* around the trouble */
  int height;
  FILE *out;
};

static double most(double a, double b) { return a > b ? a : b; }

static const struct rg_record *record_of(const struct frame *frame,
                                         size_t run) {
  return &frame->results->items[run].run.record;
}

/* All of a second's slices. */
static struct rg_slice second(const struct rg_record *record, size_t number) {
  struct rg_slice sum = {0};
  for (size_t i = number * RG_RECORD_SLICES_PER_S;
       i < (number + 1) * RG_RECORD_SLICES_PER_S && i < record->count; i++) {
    const struct rg_slice *slice = &record->slices[i];
    sum.calls += slice->calls;
    sum.ok += slice->ok;
    sum.failed += slice->failed;
    for (size_t j = 0; j < RG_RECORD_ATTEMPTS; j++)
      sum.arrivals[j] += slice->arrivals[j];
    sum.queue = slice->queue;
    sum.open = slice->open + slice->half_open;
  }
  return sum;
}

/* Where the histogram begins: of a long trouble it shows the end. */
static double wave_from(const struct frame *frame) {
  return most(most(frame->trouble_from - AROUND_S / 3,
                   frame->trouble_until - 2 * AROUND_S),
              0);
}

static void measure(struct frame *frame, size_t run) {
  const struct rg_record *record = record_of(frame, run);
  for (size_t i = (size_t)frame->from; (double)i < frame->until; i++) {
    struct rg_slice sum = second(record, i);
    frame->most_arrivals = most(frame->most_arrivals, rg_slice_arrivals(&sum));
    frame->most_queue = most(frame->most_queue, sum.queue);
    frame->most_open = most(frame->most_open, sum.open);
  }
  for (size_t i = (size_t)(wave_from(frame) * RG_RECORD_SLICES_PER_S);
       (double)i < (frame->trouble_until + AROUND_S) * RG_RECORD_SLICES_PER_S &&
       i < record->count;
       i++)
    frame->most_in_slice =
        most(frame->most_in_slice, rg_slice_arrivals(&record->slices[i]));
}

static struct frame frame_of(const struct rg_results *results, FILE *out) {
  struct rg_results_window window = rg_results_shown(results);
  struct frame frame = {.results = results,
                        .from = window.from,
                        .until = window.until,
                        .out = out};
  frame.runs = results->count < RG_PICTURE_MAX_RUNS ? results->count
                                                    : RG_PICTURE_MAX_RUNS;
  frame.trouble_from = (double)results->times.trouble_from / 1e9;
  frame.trouble_until = (double)results->times.trouble_until / 1e9;
  for (size_t i = 0; i < frame.runs; i++) measure(&frame, i);
  frame.height = HEAD + (int)frame.runs * RUN + FOOT;
  return frame;
}

/* ---- Data ---------------------------------------------------------------- */

/* second, calls, ok, stacked arrivals from all to the first, queue, open */
static void write_seconds(const struct frame *frame, size_t run) {
  fprintf(frame->out, "$run%zu << EOD\n", run);
  for (size_t i = (size_t)frame->from; (double)i < frame->until; i++) {
    struct rg_slice sum = second(record_of(frame, run), i);
    uint32_t stacked = rg_slice_arrivals(&sum);
    fprintf(frame->out, "%zu.5 %" PRIu32 " %" PRIu32, i, sum.calls, sum.ok);
    for (size_t j = RG_RECORD_ATTEMPTS; j-- > 0;) {
      fprintf(frame->out, " %" PRIu32, stacked);
      stacked -= sum.arrivals[j];
    }
    fprintf(frame->out, " %" PRIu32 " %" PRIu32 "\n", sum.queue, sum.open);
  }
  fputs("EOD\n", frame->out);
}

/* slice, stacked arrivals: all, the first */
static void write_slices(const struct frame *frame, size_t run) {
  const struct rg_record *record = record_of(frame, run);
  fprintf(frame->out, "$wave%zu << EOD\n", run);
  for (size_t i = (size_t)(wave_from(frame) * RG_RECORD_SLICES_PER_S);
       (double)i < (frame->trouble_until + AROUND_S) * RG_RECORD_SLICES_PER_S &&
       i < record->count;
       i++)
    fprintf(frame->out, "%zu.%zu5 %" PRIu32 " %" PRIu32 "\n",
            i / RG_RECORD_SLICES_PER_S, i % RG_RECORD_SLICES_PER_S,
            rg_slice_arrivals(&record->slices[i]),
            record->slices[i].arrivals[0]);
  fputs("EOD\n", frame->out);
}

/* ---- Drawing ------------------------------------------------------------- */

/* A text within gnuplot's single quotes. */
static void put_text(const char *text, FILE *out) {
  fputc('\'', out);
  for (; *text != '\0'; text++) {
    if (*text == '\'') fputc('\'', out);
    fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
  }
  fputc('\'', out);
}

static void write_head(const struct frame *frame, enum rg_picture_kind kind,
                       const char *path) {
  FILE *out = frame->out;
  fprintf(out,
          "set terminal %s size %d,%d noenhanced font 'sans,11' background "
          "'#ffffff'\n"
          "set output ",
          kind == RG_PICTURE_SVG ? "svg" : "pngcairo", WIDTH, frame->height);
  put_text(path, out);
  fputs(
      "\nset encoding utf8\n"
      "set border 3 lc '#555555'\n"
      "set tics nomirror out scale 0.5 textcolor '#333333'\n"
      "set grid y lc '#dddddd' lt 1\n"
      "set style fill solid 1.0 noborder\n"
      "set lmargin at screen 0.09\n"
      "set rmargin at screen 0.92\n"
      "set multiplot\n",
      out);
  fputs("set label 1 ", out);
  put_text(frame->results->title, out);
  fputs(" at screen 0.09,screen ", out);
  fprintf(out, "%.4f font 'sans,15'\n", 1 - 20.0 / frame->height);
}

/* From `above` to `below`, in pixels from the top. */
static void place(const struct frame *frame, double above, double below) {
  fprintf(frame->out,
          "set tmargin at screen %.4f\nset bmargin at screen %.4f\n",
          1 - above / frame->height, 1 - below / frame->height);
}

static void shade_trouble(const struct frame *frame) {
  if (frame->trouble_from >= frame->until) return;
  fprintf(frame->out,
          "set object 1 rectangle from %g,graph 0 to %g,graph 1 behind "
          "fc '#eeeeee' fs solid noborder\n",
          frame->trouble_from, frame->trouble_until);
}

static void put_verdict(const struct frame *frame, size_t run, double above) {
  const struct rg_trial *result = &frame->results->items[run];
  char text[160];
  char recovery[64] = "";
  if (result->review.has_trouble && result->review.recovered)
    snprintf(recovery, sizeof recovery, ", back after %.1f s",
             result->review.recovery_s);
  else if (result->review.has_trouble)
    snprintf(recovery, sizeof recovery, ", does not recover");
  snprintf(text, sizeof text, "%.40s: amplification %.2f%s, %" PRIu64 " lost",
           result->name, result->amplification, recovery,
           rg_trial_lost(result));
  fputs("set label 2 ", frame->out);
  put_text(text, frame->out);
  fprintf(frame->out, " at screen 0.09,screen %.4f font 'sans,12'\n",
          1 - (above - 9) / frame->height);
}

static void draw_arrivals(const struct frame *frame, size_t run, double above) {
  FILE *out = frame->out;
  place(frame, above, above + 140);
  put_verdict(frame, run, above);
  fprintf(out,
          "set xrange [%g:%g]\nset yrange [0:%g]\nset format x ''\n"
          "set ylabel 'requests/s' offset 1\n",
          frame->from, frame->until, frame->most_arrivals * 1.05);
  if (run == 0)
    fprintf(out,
            "set key horizontal maxrows 1 left top Left reverse samplen 1 "
            "width 1 font 'sans,9' at screen 0.08,screen %.4f\n",
            1 - 34.0 / frame->height);
  else
    fputs("unset key\n", out);
  fputs("plot ", out);
  for (size_t j = RG_RECORD_ATTEMPTS; j-- > 0;)
    fprintf(out,
            "$run%zu using 1:%zu with filledcurves y1=0 lc '%s' "
            "title '%s%zu%s', ",
            run, 3 + RG_RECORD_ATTEMPTS - j, attempt_colours[j],
            j == 0 ? "attempt " : "", j + 1,
            j + 1 == RG_RECORD_ATTEMPTS ? "+" : "");
  fprintf(out,
          "$run%zu using 1:2 with lines lw 1.5 dt 2 lc '#000000' "
          "title 'calls', $run%zu using 1:3 with lines lw 2 lc '#117733' "
          "title 'good answers'\n"
          "unset label 1\nunset label 2\n",
          run, run);
}

static void draw_state(const struct frame *frame, size_t run, double above) {
  FILE *out = frame->out;
  place(frame, above + 150, above + 195);
  fprintf(out,
          "set yrange [0:%g]\nset y2range [0:%g]\nset format x '%%g s'\n"
          "set ylabel 'queue' offset 1\nset ytics autofreq %g\n"
          "set y2tics %g\nset y2label 'breakers' offset -1\n"
          "unset key\n"
          "plot $run%zu using 1:10 with filledcurves y1=0 lc '#bbbbbb', "
          "$run%zu using 1:11 axes x1y2 with lines lw 1.5 lc '#aa3377'\n"
          "unset y2tics\nunset y2label\nset ytics autofreq\n",
          most(frame->most_queue, 1) * 1.1, most(frame->most_open, 1) * 1.1,
          most(frame->most_queue, 1), most(frame->most_open, 1), run, run);
}

static void draw_wave(const struct frame *frame, size_t run, double above) {
  FILE *out = frame->out;
  double width = 0.83 / (double)frame->runs;
  double left = 0.09 + width * (double)run;
  place(frame, above, above + 110);
  fprintf(out, "set lmargin at screen %.4f\nset rmargin at screen %.4f\n", left,
          left + width - (run + 1 < frame->runs ? 0.04 : 0));
  fprintf(out,
          "set xrange [%g:%g]\nset yrange [0:%g]\nset boxwidth 0.1\n"
          "set ylabel '%s' offset 1\nset title ",
          wave_from(frame), frame->trouble_until + AROUND_S,
          frame->most_in_slice * 1.05, run == 0 ? "requests in 0.1 s" : "");
  put_text(frame->results->items[run].name, out);
  fprintf(out,
          " offset 0,-0.7\n%s"
          "plot $wave%zu using 1:2 with boxes lc '%s', "
          "$wave%zu using 1:3 with boxes lc '%s'\n",
          run > 0 ? "set format y ''\n" : "", run, attempt_colours[2], run,
          attempt_colours[0]);
}

bool rg_picture_write_script(const struct rg_results *results,
                             enum rg_picture_kind kind, const char *path,
                             FILE *out) {
  struct frame frame = frame_of(results, out);
  for (size_t i = 0; i < frame.runs; i++) {
    write_seconds(&frame, i);
    write_slices(&frame, i);
  }
  write_head(&frame, kind, path);
  shade_trouble(&frame);
  for (size_t i = 0; i < frame.runs; i++) {
    double above = HEAD + (double)(i * RUN);
    draw_arrivals(&frame, i, above);
    draw_state(&frame, i, above);
  }
  if (frame.trouble_from < frame.until)
    for (size_t i = 0; i < frame.runs; i++)
      draw_wave(&frame, i, HEAD + (double)(frame.runs * RUN) + 25);
  fputs("unset multiplot\n", out);
  return !ferror(out);
}
