// SPDX-License-Identifier: Apache-2.0

// A block that says something about every field.
#ifndef RG_TEST_CONFIG_EVERY_FIELD_H
#define RG_TEST_CONFIG_EVERY_FIELD_H

inline constexpr char kEveryField[] = R"({
  "budget": { "disabled": false,
              "tokenBucket": { "tokenRatio": 0.6, "burst": "2.5s",
                               "initialTokens": 2.5, "maxTokens": 100 } },
  "backoff": { "jitter": "EQUAL", "floor": "0.01s" },
  "layer": { "disabled": false, "mode": "OUTERMOST", "name": "checkout",
             "maxHops": 8 } })";

#endif
