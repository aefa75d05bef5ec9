/* SPDX-License-Identifier: Apache-2.0 */
#include "gameday/crew.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/num.h"
#include "sim/dice.h"
#include "support/rpc.h"

/* From the start of the first process until the game begins. When that is not
 * enough, the first calls are late, and counted so. */
#define START_NS (2 * RG_NS_PER_S)
#define START_EACH_NS (RG_NS_PER_S / 10)

/* Longer than a busy machine makes them take. */
#define READY_MS 60000
#define STOP_MS 60000

/* ---- Starting ------------------------------------------------------------ */

static size_t process_count(const struct rg_scenario *scenario) {
  size_t count = scenario->load_count;
  for (size_t i = 0; i < scenario->tier_count; i++)
    count += scenario->tiers[i].instances;
  return count;
}

static struct rg_member *add_member(struct rg_crew *crew) {
  const struct rg_crew_plan *plan = crew->plan;
  struct rg_member *member = &crew->members[crew->count];
  snprintf(member->path, sizeof(member->path), "%s/%zu-%zu", plan->scratch,
           plan->variant, crew->count);
  size_t slices = (size_t)(plan->scenario->duration_ns / RG_RECORD_SLICE_NS);
  struct rg_dice dice = {.state = plan->seed * RG_CREW_MAX + crew->count};
  struct rg_sheet *sheet = rg_sheet_new(member->path, slices);
  if (sheet == NULL) return NULL;
  snprintf(sheet->scenario, sizeof(sheet->scenario), "%s", plan->path);
  sheet->fit = plan->fit;
  sheet->variant = plan->variant;
  sheet->seed = rg_dice_bits(&dice);
  sheet->begin_ns = crew->begin_ns;
  memcpy(sheet->addresses, crew->addresses, sizeof(sheet->addresses));
  member->sheet = sheet;
  crew->count++;
  return member;
}

static bool is_guarded(const struct rg_crew_plan *plan) {
  const struct rg_service_config *config =
      plan->scenario->variants[plan->variant].config;
  return config != NULL && rg_service_config_is_guarded(config);
}

/* The guard comes as users bring it: preloaded. */
static bool start_process(const struct rg_crew *crew,
                          struct rg_member *member) {
  char program[RG_SHEET_TEXT];
  snprintf(program, sizeof(program), "%s/rg_gameday_%s", crew->plan->programs,
           member->is_server ? "server" : "client");
  char metrics[RG_SHEET_TEXT] = "--strict"; /* once more, where not asked for */
  if (crew->plan->metrics != NULL && !member->is_server)
    snprintf(metrics, sizeof(metrics), "--metrics=%s", crew->plan->metrics);
  const char *const plain[] = {program, member->path, NULL};
  const char *const guarded[] = {
      crew->plan->command, "run", "--strict", metrics, "--", program,
      member->path,        NULL};
  return rg_process_start(&member->process,
                          is_guarded(crew->plan) ? guarded : plain);
}

/* A server says which port it has when it listens. */
static bool await_server(struct rg_member *member) {
  char line[64];
  if (rg_process_read_line(&member->process, line, sizeof(line), READY_MS) &&
      sscanf(line, "port %d", &member->sheet->port) == 1)
    return true;
  fputs("a server does not listen\n", stderr);
  return false;
}

static bool add_address(char *addresses, int port) {
  size_t used = strlen(addresses);
  int length = snprintf(addresses + used, RG_SHEET_TEXT - used,
                        "%s127.0.0.1:%d", used > 0 ? "," : "", port);
  return (size_t)length < RG_SHEET_TEXT - used;
}

static bool start_server(struct rg_crew *crew, size_t tier, uint32_t instance) {
  struct rg_member *member = add_member(crew);
  if (member == NULL) return false;
  member->is_server = true;
  member->sheet->tier = tier;
  member->sheet->instance = instance;
  return start_process(crew, member) && await_server(member) &&
         add_address(crew->addresses[tier], member->sheet->port);
}

static bool start_client(struct rg_crew *crew, size_t load) {
  struct rg_member *member = add_member(crew);
  if (member == NULL) return false;
  member->sheet->load = load;
  return start_process(crew, member);
}

static bool start_all(struct rg_crew *crew) {
  const struct rg_scenario *scenario = crew->plan->scenario;
  for (size_t tier = scenario->tier_count; tier-- > 0;)
    for (uint32_t i = 0; i < scenario->tiers[tier].instances; i++)
      if (!start_server(crew, tier, i)) return false;
  for (size_t i = 0; i < scenario->load_count; i++)
    if (!start_client(crew, i)) return false;
  return true;
}

bool rg_crew_start(struct rg_crew *crew, const struct rg_crew_plan *plan) {
  size_t count = process_count(plan->scenario);
  *crew = (struct rg_crew){.plan = plan};
  if (count > RG_CREW_MAX || plan->scenario->tier_count > RG_SHEET_TIERS) {
    fputs("the scenario has more servers than a game-day can start\n", stderr);
    return false;
  }
  crew->begin_ns = rg_rpc_now_ns() + START_NS + count * START_EACH_NS;
  return start_all(crew);
}

/* ---- Crashes ------------------------------------------------------------- */

static bool next_crash(const struct rg_crew *crew,
                       const struct rg_member *member, uint64_t after,
                       uint64_t *at, bool *comes_back) {
  const struct rg_place place = {crew->plan->scenario, member->sheet->tier,
                                 member->sheet->instance};
  return member->is_server &&
         rg_outage_next_crash(&place, after, at, comes_back);
}

bool rg_crew_next(const struct rg_crew *crew, uint64_t *at_ns) {
  uint64_t next = crew->plan->scenario->duration_ns;
  uint64_t at;
  bool comes_back;
  if (crew->stepped_ns >= next) return false;
  for (size_t i = 0; i < crew->count; i++)
    if (next_crash(crew, &crew->members[i], crew->stepped_ns, &at,
                   &comes_back) &&
        at < next)
      next = at;
  *at_ns = crew->begin_ns + next;
  return true;
}

static bool crash(struct rg_crew *crew, struct rg_member *member,
                  bool comes_back) {
  bool is_there = member->process.pid > 0;
  /* Incidents overlap: it is gone already, or back. */
  if (is_there == comes_back) return true;
  if (comes_back) return start_process(crew, member) && await_server(member);
  kill(member->process.pid, SIGKILL);
  rg_process_wait(&member->process, STOP_MS);
  return true;
}

bool rg_crew_step(struct rg_crew *crew) {
  uint64_t now_ns;
  uint64_t at;
  bool comes_back;
  if (!rg_crew_next(crew, &now_ns)) return true;
  uint64_t before = crew->stepped_ns;
  crew->stepped_ns = now_ns - crew->begin_ns;
  bool done = true;
  for (size_t i = 0; i < crew->count && done; i++)
    if (next_crash(crew, &crew->members[i], before, &at, &comes_back) &&
        at == crew->stepped_ns)
      done = crash(crew, &crew->members[i], comes_back);
  return done;
}

/* ---- Stopping ------------------------------------------------------------ */

/* A client ends by itself; a server does not. */
static bool stop_member(struct rg_member *member) {
  if (!member->is_server)
    return rg_process_wait(&member->process, STOP_MS) == 0;
  if (member->process.pid == 0) return true; /* it crashed for good */
  return rg_process_stop(&member->process, STOP_MS) == 128 + SIGTERM;
}

bool rg_crew_stop(struct rg_crew *crew, struct rg_tally *tally) {
  bool well = true;
  for (size_t i = crew->count; i-- > 0;) {
    struct rg_member *member = &crew->members[i];
    well = stop_member(member) && well;
    rg_tally_add(tally, member->sheet);
    rg_sheet_close(member->sheet);
    unlink(member->path);
  }
  tally->trial.name = crew->plan->scenario->variants[crew->plan->variant].name;
  rg_tally_judge(tally, crew->plan->scenario);
  if (!well) fputs("a process ended before its time\n", stderr);
  return well;
}
