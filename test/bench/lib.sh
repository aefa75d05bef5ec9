# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034 # it is sourced
#
# What the benchmarks share: policies, and the client and server processes.

programs=$1 # the folder of the built programs
scratch=$(mktemp -d)
trap 'kill_server; rm -rf "$scratch"' EXIT

# ---- Policies: service configs -----------------------------------------------

retry='"methodConfig": [{"name": [{"service": "retry_guard.bench.Echo"}],
  "retryPolicy": {"maxAttempts": 5, "initialBackoff": "0.001s",
    "maxBackoff": "0.01s", "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE"]}}]'
retries="{$retry}"
defaults="{\"retryGuard\": {}, $retry}"
everything='{"retryGuard": {
    "budget": {"window": {"percent": 20}},
    "backoff": {"jitter": "EQUAL", "floor": "0.001s"},
    "layer": {"mode": "INNERMOST", "baggage": true, "name": "bench"},
    "circuitBreaker": {"scope": "METHOD", "consecutiveFailures": 10,
      "maxCooldown": "60s"},
    "deadline": {"hopMargin": "0.005s", "minAttempt": "0.001s",
      "adaptive": true, "attemptTimeout": "30s", "minRemaining": "0.001s"},
    "idempotency": "GENERATE"}, '"$retry}"
# Enough tokens for a retry with each call, and a breaker that bears it.
retrying='{"retryGuard": {
    "budget": {"tokenBucket": {"tokenRatio": 1, "initialTokens": 100}},
    "circuitBreaker": {"failureRatio": 0.9, "minRequests": 1000}}, '"$retry}"

# On one line each, as arguments are kept.
for name in retries defaults everything retrying; do
  printf -v "$name" %s "${!name//$'\n'/}"
done

# ---- Processes ---------------------------------------------------------------

server_pid=
kill_server() {
  [ -z "$server_pid" ] || kill "$server_pid" 2>/dev/null || true
  server_pid=
}

# Starts the server with the arguments after the words of $1 (such as a
# valgrind command) and sets `address`; it ends when its input is closed.
start_server() {
  local port
  rm -f "$scratch/input" "$scratch/output"
  mkfifo "$scratch/input" "$scratch/output"
  # shellcheck disable=SC2086 # words
  $1 "$programs/rg_bench_server" "${@:2}" \
    <"$scratch/input" >"$scratch/output" 2>"$scratch/server.log" &
  server_pid=$!
  exec 8>"$scratch/input"
  read -r _ port <"$scratch/output" || {
    cat "$scratch/server.log" >&2
    return 1
  }
  address=ipv4:127.0.0.1:$port
}

stop_server() {
  exec 8>&-
  wait "$server_pid"
  server_pid=
}

# The value after the word $1 in the line $2.
field() { sed -E "s/.*\<$1 ([0-9]+).*/\1/" <<<"$2"; }

# ---- Counting ----------------------------------------------------------------

profile=$scratch/profile
counting="valgrind --tool=callgrind --callgrind-out-file=$profile
  --compress-strings=no"

# What it counted, according to its log $1.
counted() { sed -nE 's/.*Collected : ([0-9]+).*/\1/p' "$1"; }

# What it counted last without Abseil's locks, which take now more, now less: it
# depends on whether gRPC's threads get into each other's way.
counted_calm() {
  awk '
    /^fn=/ { lock = /absl::.*(Mutex|CondVar|synchronization_internal)/; next }
    /^calls=/ { callee = 1; next }
    /^[0-9+*-]/ { if (!callee && !lock) sum += $2; callee = 0 }
    END { printf "%d\n", sum }' "$profile"
}
