/* SPDX-License-Identifier: Apache-2.0 */
#include "gameday/fit.h"

#include <math.h>
#include <stdio.h>

#include "cli/file.h"
#include "core/num.h"

#define CALM_S 20
#define AFTER_S 45

void rg_fit_init(struct rg_fit *fit) {
  *fit = (struct rg_fit){
      .scale = 1,
      .calm_s = CALM_S,
      .trouble_s = UINT32_MAX,
      .after_s = AFTER_S,
  };
}

/* At least one stays. */
static uint32_t scaled(uint32_t count, double scale) {
  double share = round((double)count * scale);
  return share < 1 ? 1 : (uint32_t)share;
}

static void scale_fleet(double scale, struct rg_scenario *scenario) {
  for (size_t i = 0; i < scenario->tier_count; i++) {
    struct rg_tier_spec *tier = &scenario->tiers[i];
    tier->workers = scaled(tier->workers, scale);
    if (tier->queue != RG_NO_LIMIT && tier->queue > 0)
      tier->queue = scaled(tier->queue, scale);
  }
  for (size_t i = 0; i < scenario->load_count; i++) {
    struct rg_load_spec *load = &scenario->loads[i];
    load->clients = scaled(load->clients, scale);
    load->calls_per_s *= scale;
  }
}

static void shorten(struct rg_incident_spec *incident, uint64_t longest_ns) {
  uint64_t lasts = incident->lasts_ns;
  if (lasts <= longest_ns) return;
  uint64_t times = (incident->end - incident->at) / lasts;
  incident->lasts_ns = longest_ns;
  incident->end = incident->at + times * longest_ns;
}

static void move(struct rg_scenario *scenario, uint64_t from, uint64_t to) {
  for (size_t i = 0; i < scenario->incident_count; i++) {
    struct rg_incident_spec *incident = &scenario->incidents[i];
    incident->at = incident->at - from + to;
    incident->end = incident->end - from + to;
  }
}

void rg_fit_apply(const struct rg_fit *fit, struct rg_scenario *scenario) {
  uint64_t begin;
  uint64_t end;
  uint64_t calm = fit->calm_s * RG_NS_PER_S;
  scale_fleet(fit->scale, scenario);
  for (size_t i = 0; i < scenario->incident_count; i++)
    shorten(&scenario->incidents[i], fit->trouble_s * RG_NS_PER_S);
  if (rg_scenario_trouble(scenario, &begin, &end)) move(scenario, begin, calm);
  if (!rg_scenario_trouble(scenario, &begin, &end)) end = calm;
  scenario->warm_up_ns = RG_FIT_WARM_UP_S * RG_NS_PER_S;
  scenario->duration_ns = end + fit->after_s * RG_NS_PER_S;
}

static void tell(const char *path, const struct rg_faults *faults) {
  for (size_t i = 0; i < faults->count; i++)
    fprintf(stderr, "%s: %s: %s\n", path, faults->items[i].path,
            faults->items[i].message);
}

struct rg_scenario *rg_fit_read(const char *path, const struct rg_fit *fit) {
  struct rg_file file;
  struct rg_report report;
  const char *fault = rg_file_read(path, &file);
  if (fault != NULL) {
    fprintf(stderr, "%s: %s\n", path, fault);
    return NULL;
  }
  rg_report_init(&report);
  struct rg_scenario *scenario =
      rg_scenario_read(file.bytes, file.length, &report);
  tell(path, &report.errors);
  if (scenario != NULL) rg_fit_apply(fit, scenario);
  rg_report_clean_up(&report);
  rg_file_clean_up(&file);
  return scenario;
}
