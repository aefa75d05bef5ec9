// SPDX-License-Identifier: Apache-2.0

// An effective policy as text, for tests to compare.
#ifndef RG_TEST_CONFIG_POLICY_FACTS_H
#define RG_TEST_CONFIG_POLICY_FACTS_H

#include <sstream>
#include <string>

#include "config/policy.h"

inline std::string PolicyFacts(const rg_policy &p) {
  std::ostringstream facts;
  facts << "budget " << p.budget.kind << " budgeted " << p.budgeted  //
        << " ratio " << p.budget.bucket.ratio_milli                  //
        << " burst " << p.budget.bucket.burst_ns                     //
        << " initial " << p.budget.bucket.initial_milli              //
        << " max " << p.budget.bucket.max_milli                      //
        << " percent " << p.budget.window.percent                    //
        << " interval " << p.budget.window.interval_ns               //
        << " floor " << p.budget.window.min_retries_milli            //
        << " jitter " << p.backoff.jitter                            //
        << " floor " << p.backoff.floor_ms                           //
        << " layer " << !p.layer.disabled << " mode " << p.layer.mode
        << " hops " << p.layer.max_hops << " name "
        << std::string(p.layer.name, p.layer.name_length)        //
        << " baggage " << p.layer.baggage << " mode " << p.mode  //
        << " breaker " << !p.breaker.disabled << " scope " << p.breaker.scope
        << " codes " << p.breaker.failure_codes           //
        << " ratio " << p.breaker.failure_ratio_milli     //
        << " requests " << p.breaker.min_requests         //
        << " row " << p.breaker.consecutive_failures      //
        << " window " << p.breaker.window_ns              //
        << " cooldown " << p.breaker.cooldown_ns          //
        << " max " << p.breaker.max_cooldown_ns           //
        << " jitter " << p.breaker.cooldown_jitter_milli  //
        << " probes " << p.breaker.probes                 //
        << " timeout " << p.breaker.probe_timeout_ns      //
        << " deadline " << !p.deadline.disabled           //
        << " adaptive " << p.deadline.adaptive            //
        << " margin " << p.deadline.hop_margin_ns         //
        << " attempt " << p.deadline.min_attempt_ns << " timeout "
        << p.deadline.attempt_timeout_ns << " remaining "
        << p.deadline.min_remaining_ns << " idempotency " << p.idempotency.mode
        << " key " << p.idempotency.key_header << " alarm "
        << p.amplification_alarm_milli;
  return facts.str();
}

#endif
