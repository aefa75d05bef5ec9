/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/explanation.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/file.h"
#include "cli/paper.h"
#include "cli/table.h"
#include "config/load.h"
#include "config/policy_values.h"
#include "core/num.h"
#include "retry_guard/v1/policy.pb-c.h"

#define TIME_SIZE RG_DURATION_TEXT_SIZE

struct explanation {
  const struct rg_subject *subject;
  struct rg_paper paper;
  size_t number;                         /* of the entry, or NO_ENTRY */
  const struct rg_method_config *method; /* NULL: there is no entry */
  struct rg_policy policy;
  bool guarded;
  bool acts; /* and what the guard says is done */
};

static void heading(struct explanation *e, const char *text) {
  rg_paper_newline(&e->paper);
  rg_paper_put(&e->paper, RG_INK_BOLD, "%s", text);
  rg_paper_newline(&e->paper);
}

#define SENTENCE(e, ...)                                      \
  do {                                                        \
    rg_paper_indent(&(e)->paper, 2);                          \
    rg_paper_wrap(&(e)->paper, 2, RG_INK_PLAIN, __VA_ARGS__); \
    rg_paper_newline(&(e)->paper);                            \
  } while (0)

/* ---- The policy ---------------------------------------------------------- */

static const char *source_text(const struct explanation *e,
                               enum rg_value_source source, char *text,
                               size_t size) {
  switch (source) {
    case RG_SOURCE_METHOD:
      snprintf(text, size, "methodConfig[%zu].retryGuard", e->number);
      return text;
    case RG_SOURCE_CHANNEL:
      return "retryGuard";
    default:
      return "default";
  }
}

static void write_policy(struct explanation *e) {
  struct rg_policy_value values[RG_POLICY_VALUES_MAX];
  struct rg_cell cells[RG_POLICY_VALUES_MAX][3];
  char source[64];
  size_t count =
      rg_policy_values(e->subject->config->block,
                       e->method != NULL ? e->method->block : NULL, values);
  for (size_t i = 0; i < count; i++) {
    bool said = values[i].source != RG_SOURCE_DEFAULT;
    cells[i][0] = (struct rg_cell){values[i].path, RG_INK_PLAIN};
    cells[i][1] = (struct rg_cell){
        source_text(e, values[i].source, source, sizeof source),
        said ? RG_INK_PLAIN : RG_INK_DIM};
    cells[i][2] =
        (struct rg_cell){values[i].text, said ? RG_INK_BOLD : RG_INK_PLAIN};
  }
  const struct rg_table table = {
      .cells = cells[0], .rows = count, .columns = 3, .indent = 2};
  heading(e, "Policy, and where it comes from");
  rg_table_write(&table, &e->paper);
}

/* ---- Retries ------------------------------------------------------------- */

static const struct rg_backoff_policy *backoff_of(const struct explanation *e) {
  return e->acts ? &e->policy.backoff : NULL;
}

static void write_schedule(struct explanation *e) {
  enum { COLUMNS = 4, ROWS = RG_MAX_ATTEMPTS };
  char texts[ROWS][COLUMNS][TIME_SIZE];
  struct rg_cell cells[ROWS][COLUMNS] = {{{"retry", RG_INK_DIM},
                                          {"earliest", RG_INK_DIM},
                                          {"latest", RG_INK_DIM},
                                          {"mean", RG_INK_DIM}}};
  const struct rg_retry_policy *retry = &e->method->retry;
  size_t rows = 1;
  for (uint32_t n = 0; n + 1 < retry->max_attempts; n++, rows++) {
    struct rg_delay_range range = rg_load_delay(backoff_of(e), retry, n);
    snprintf(texts[rows][0], TIME_SIZE, "%" PRIu32, n + 1);
    rg_duration_write_ms(range.low_ms, texts[rows][1]);
    rg_duration_write_ms(range.high_ms, texts[rows][2]);
    rg_duration_write_ms(range.low_ms + (range.high_ms - range.low_ms) / 2,
                         texts[rows][3]);
    for (size_t i = 0; i < COLUMNS; i++)
      cells[rows][i] = (struct rg_cell){texts[rows][i], RG_INK_PLAIN};
  }
  const struct rg_table table = {.cells = cells[0],
                                 .rows = rows,
                                 .columns = COLUMNS,
                                 .indent = 2,
                                 .right = 15};
  heading(e, "Delay before each retry");
  rg_table_write(&table, &e->paper);
}

static void write_retries(struct explanation *e) {
  heading(e, "Retries");
  rg_paper_indent(&e->paper, 2);
  char codes[RG_POLICY_VALUE_SIZE];
  rg_paper_put(&e->paper, RG_INK_PLAIN, "Up to %" PRIu32 " attempts, after ",
               e->method->retry.max_attempts);
  rg_policy_codes_write(e->method->retry.retryable_codes, codes);
  rg_paper_wrap(&e->paper, 2, RG_INK_PLAIN, "%s", codes);
  rg_paper_put(&e->paper, RG_INK_PLAIN, ".");
  rg_paper_newline(&e->paper);
  write_schedule(e);
}

/* ---- The worst case ------------------------------------------------------ */

static void write_time(struct explanation *e) {
  const struct rg_retry_policy *retry = &e->method->retry;
  char waits[TIME_SIZE];
  char total[TIME_SIZE];
  uint64_t backoff = rg_load_backoff_ms(backoff_of(e), retry);
  uint64_t attempt = e->acts && !e->policy.deadline.disabled
                         ? e->policy.deadline.attempt_timeout_ns / RG_NS_PER_MS
                         : 0;
  uint64_t longest =
      rg_num_add(backoff, rg_num_mul(attempt, (uint64_t)retry->max_attempts));
  bool cut = e->method->has_timeout &&
             (attempt == 0 || e->method->timeout_ms < longest);
  rg_duration_write_ms(backoff, waits);
  if (cut)
    SENTENCE(e,
             "%" PRIu32
             " attempts and %s of waiting between them, but all of "
             "it ends with the method's timeout, %s.",
             retry->max_attempts, waits,
             rg_duration_write_ms(e->method->timeout_ms, total));
  else if (attempt > 0)
    SENTENCE(e,
             "%" PRIu32
             " attempts and %s of waiting between them: %s, or until "
             "the call's deadline.",
             retry->max_attempts, waits, rg_duration_write_ms(longest, total));
  else
    SENTENCE(e,
             "%" PRIu32
             " attempts and %s of waiting between them; how long an "
             "attempt takes, only the call's deadline bounds.",
             retry->max_attempts, waits);
}

static void write_load(struct explanation *e) {
  uint64_t milli = e->acts ? rg_load_factor_milli(&e->policy, &e->method->retry)
                           : (uint64_t)e->method->retry.max_attempts * RG_MILLI;
  bool window = e->policy.budget.kind == RG_BUDGET_WINDOW && e->policy.budgeted;
  SENTENCE(e, "%" PRIu64 ".%02" PRIu64 " attempts for each call%s%s.",
           milli / RG_MILLI, milli % RG_MILLI / 10,
           e->acts && window ? ", and minRetryRate in each client" : "",
           e->acts && milli < (uint64_t)e->method->retry.max_attempts * RG_MILLI
               ? ": what the budget lets through"
               : ": nothing bounds retries but maxAttempts");
}

static void write_costs(struct explanation *e) {
  heading(e, "One call at worst");
  write_time(e);
  heading(e, "All calls, however long they fail");
  write_load(e);
}

/* ---- All of it ----------------------------------------------------------- */

static void write_title(struct explanation *e) {
  const struct rg_subject *s = e->subject;
  rg_paper_put(&e->paper, RG_INK_BOLD, "%s/%s", s->service, s->method);
  rg_paper_newline(&e->paper);
  if (e->method == NULL)
    SENTENCE(e,
             "No methodConfig entry of %s is for it: gRPC does not retry it.",
             rg_file_name(s->file));
  else
    SENTENCE(e, "methodConfig[%zu] of %s is for it%s.", e->number,
             rg_file_name(s->file),
             e->method->has_retry ? ""
                                  : ", and has no retryPolicy: gRPC does not "
                                    "retry it");
  if (!e->guarded)
    SENTENCE(e, e->policy.mode == RG_MODE_OFF
                    ? "The guard is OFF for it."
                    : "There is no retryGuard: the guard leaves it alone.");
  else if (!e->acts)
    SENTENCE(e,
             "The guard only watches (SHADOW): what follows is what gRPC "
             "does.");
}

void rg_explanation_write(const struct rg_subject *subject) {
  struct explanation e = {.subject = subject, .paper = rg_paper_on(stdout)};
  const struct rg_service_config *config = subject->config;
  e.number = rg_service_config_find(config, subject->service, subject->method);
  if (e.number != RG_NATIVE_NO_ENTRY) e.method = &config->methods[e.number];
  e.guarded = rg_service_config_guards(config, e.method);
  rg_service_config_policy(config, e.method, &e.policy);
  e.acts = e.guarded && e.policy.mode == RG_MODE_ENFORCE;
  write_title(&e);
  if (e.guarded) write_policy(&e);
  if (e.method == NULL || !e.method->has_retry) return;
  write_retries(&e);
  write_costs(&e);
}
