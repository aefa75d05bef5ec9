// SPDX-License-Identifier: Apache-2.0

// A scenario as text, for tests to compare.
#ifndef RG_TEST_SIM_SCENARIO_FACTS_H
#define RG_TEST_SIM_SCENARIO_FACTS_H

#include <sstream>
#include <string>

#include "sim/scenario.h"

namespace rg_test {

inline void AddTier(const rg_tier_spec &tier, std::ostream &facts) {
  facts << "\ntier " << tier.name << " instances " << tier.instances
        << " workers " << tier.workers << " queue " << tier.queue << " service "
        << tier.service_ns << " constant " << tier.is_constant << " drops "
        << tier.drops_abandoned << " calls";
  for (size_t i = 0; i < tier.call_count; i++) facts << " " << tier.calls[i];
}

inline void AddLoad(const rg_load_spec &load, std::ostream &facts) {
  facts << "\nload of " << load.clients << " on " << load.tier << " arrival "
        << load.arrival << " rate " << load.calls_per_s << " interval "
        << load.interval_ns << " deadline " << load.deadline_ns;
}

inline void AddIncident(const rg_incident_spec &incident, std::ostream &facts) {
  facts << "\nincident " << incident.kind << " on " << incident.tier << " at "
        << incident.at << " lasts " << incident.lasts_ns << " end "
        << incident.end << " instances " << incident.instances << " factor "
        << incident.factor << " easing " << incident.easing << " share "
        << incident.share;
}

inline void AddVariant(const rg_variant_spec &variant, std::ostream &facts) {
  facts << "\nvariant " << variant.name << " config "
        << (variant.config != nullptr);
  if (!variant.has_loop) return;
  const rg_loop_spec &loop = variant.loop;
  facts << " loop of " << loop.attempts << " each " << loop.attempt_ns
        << " jitter " << loop.jitter << " pauses "
        << loop.pauses.initial_backoff_ms << " up to "
        << loop.pauses.max_backoff_ms << " by " << loop.pauses.multiplier_micro;
}

inline std::string ScenarioFacts(const rg_scenario &scenario) {
  std::ostringstream facts;
  facts << scenario.title << " duration " << scenario.duration_ns << " warm-up "
        << scenario.warm_up_ns << " latency " << scenario.latency_ns
        << " watch " << scenario.watch;
  for (size_t i = 0; i < scenario.tier_count; i++)
    AddTier(scenario.tiers[i], facts);
  for (size_t i = 0; i < scenario.load_count; i++)
    AddLoad(scenario.loads[i], facts);
  for (size_t i = 0; i < scenario.incident_count; i++)
    AddIncident(scenario.incidents[i], facts);
  for (size_t i = 0; i < scenario.variant_count; i++)
    AddVariant(scenario.variants[i], facts);
  return facts.str();
}

}  // namespace rg_test

#endif
