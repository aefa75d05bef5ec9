// SPDX-License-Identifier: Apache-2.0

// A block that says something about every field.
#ifndef RG_TEST_CONFIG_EVERY_FIELD_H
#define RG_TEST_CONFIG_EVERY_FIELD_H

inline constexpr char kEveryField[] = R"({
  "budget": { "disabled": false,
              "tokenBucket": { "tokenRatio": 0.6, "burst": "2.5s",
                               "initialTokens": 2.5, "maxTokens": 100 } },
  "backoff": { "jitter": "EQUAL", "floor": "0.01s" },
  "layer": { "disabled": false, "mode": "INNERMOST", "name": "checkout",
             "maxHops": 8, "baggage": true },
  "circuitBreaker": { "disabled": false, "failureRatio": 0.4, "window": "20s",
                      "failureStatusCodes": [ "UNAVAILABLE", "ABORTED" ],
                      "minRequests": 5, "consecutiveFailures": 7,
                      "cooldown": "1s", "cooldownJitter": 0.1,
                      "maxCooldown": "60s", "probes": 2,
                      "probeTimeout": "2s", "scope": "METHOD" },
  "deadline": { "disabled": false, "hopMargin": "0.005s",
                "minAttempt": "0.02s", "adaptive": true,
                "attemptTimeout": "0.25s", "minRemaining": "0.03s" },
  "idempotency": "KEY", "keyHeader": "request-id", "mode": "SHADOW",
  "amplificationAlarm": 0.3 })";

#endif
