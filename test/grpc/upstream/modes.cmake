# SPDX-License-Identifier: Apache-2.0

# What gRPC's own tests run with. A mode is a role and the `retryGuard` block of
# every channel. Blocks say only what differs from the defaults.

set(RG_UPSTREAM_MODES inert shadow native full rich)
# With sanitizers: those that take most ways through the plugin.
set(RG_UPSTREAM_SANITIZED_MODES shadow rich)

# No block: the filters are there and stay out of the way.
set(RG_UPSTREAM_inert inert)

# Would refuse all retries, for several reasons, and end every attempt at once;
# in shadow that must change nothing.
set(RG_UPSTREAM_shadow shadow [[{
  "mode": "SHADOW",
  "budget": { "tokenBucket": { "initialTokens": 0 } },
  "backoff": { "floor": "60s" },
  "idempotency": "KEY",
  "circuitBreaker": { "consecutiveFailures": 1 },
  "deadline": { "attemptTimeout": "0.001s", "minAttempt": "60s" } }]])

# Decides and counts every retry; gRPC times it.
set(RG_UPSTREAM_native enforce [[{
  "budget": { "tokenBucket": { "initialTokens": 1000 } },
  "backoff": { "jitter": "NATIVE" } }]])

# Also times it, as by default.
set(RG_UPSTREAM_full enforce [[{
  "budget": { "window": { "percent": 100,
                          "minRetryRate": { "count": 1000000 } } } }]])

# All that adds something to an attempt: a timer, an idempotency key, marks in
# two places; and a breaker for each address.
set(RG_UPSTREAM_rich enforce [[{
  "budget": { "disabled": true },
  "backoff": { "jitter": "EQUAL" },
  "layer": { "mode": "INNERMOST", "baggage": true },
  "idempotency": "GENERATE",
  "circuitBreaker": { "scope": "BACKEND" },
  "deadline": { "attemptTimeout": "4s", "adaptive": true } }]])

# ---- Exceptions --------------------------------------------------------------

# Tests that state the opposite of what the guard is for. They run with the rule
# in question off, and the contradiction is a test itself: they must fail, by
# this assertion, while the rule is on (and all else as in the mode `native`).
#
# Both let a call's deadline pass while gRPC waits to retry, and expect
# DEADLINE_EXCEEDED. The guard makes no retry that cannot be in time: the caller
# has the server's own status at once. And with jitter of its own a retry may
# start long before the whole backoff is over, so in time, where these tests
# count on none.
set(RG_UPSTREAM_EXCEPTIONS
  retry_cancel_during_delay
  retry_cancel_with_multiple_send_batches)
set(RG_UPSTREAM_CONTRADICTION "assertion failed: status == mode.expect_status")
set(RG_UPSTREAM_EXCEPTED_MODES native full rich)

# The rule off, in the block of one mode.
function(rg_upstream_except block result)
  string(JSON block SET "${block}" deadline [[{ "disabled": true }]])
  string(JSON jitter ERROR_VARIABLE none GET "${block}" backoff jitter)
  if(NOT jitter STREQUAL NATIVE)
    string(JSON block SET "${block}" backoff [[{ "floor": "60s" }]])
  endif()
  set(${result} "${block}" PARENT_SCOPE)
endfunction()

# Tests that gRPC itself does not run with a proxy in between: this one counts
# on sharing its connection with the server.
set(RG_UPSTREAM_NOT_WITH_PROXY retry_transparent_max_concurrent_streams)
