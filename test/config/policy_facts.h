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
        << std::string(p.layer.name, p.layer.name_length);
  return facts.str();
}

#endif
