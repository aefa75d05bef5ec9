/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/init.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/retry_config.h"
#include "cli/verb.h"
#include "config/defaults.h"
#include "config/duration.h"
#include "config/text.h"

static const char help[] =
    "Usage: retry-guard init [OPTION]...\n"
    "\n"
    "Prints a service config to start from. It is valid as it stands: JSON\n"
    "has no comments, so they are members named \"//\", which gRPC ignores.\n"
    "The values under retryGuard are the defaults; delete what you do not\n"
    "change.\n"
    "\n"
    "  --style=budget  retries are paid for by calls that succeed (default)\n"
    "  --style=window  retries are a share of the calls in a sliding window\n"
    "  --service=NAME  the service whose calls are retried: shop.Ledger\n";

#define PLACEHOLDER "your.package.Service"

enum { STYLE = RG_CLI_FIRST_OPTION, SERVICE };

static const struct option options[] = {
    {"style", required_argument, NULL, STYLE},
    {"service", required_argument, NULL, SERVICE},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

struct wish {
  bool window;
  const char *service;
};

/* ---- Values -------------------------------------------------------------- */

/* The texts of one value; printf takes several of them at once. */
struct text {
  char text[RG_DURATION_TEXT_SIZE];
};

static struct text duration(struct rg_duration value) {
  struct text text;
  rg_duration_write(value, text.text);
  return text;
}

static struct text from_ns(uint64_t ns) {
  return duration(rg_duration_from_ns(ns));
}

static struct text number(double value) {
  struct text text;
  _Static_assert(sizeof text.text >= RG_TEXT_NUMBER_SIZE, "a number fits");
  rg_text_number(value, text.text);
  return text;
}

static struct text from_milli(uint32_t milli) { return number(milli / 1000.0); }

/* ---- The config ---------------------------------------------------------- */

static void print_comment(const char *const lines[], const char *indent) {
  printf("%s\"//\": [\n", indent);
  for (size_t i = 0; lines[i] != NULL; i++)
    printf("%s  \"%s\"%s\n", indent, lines[i], lines[i + 1] != NULL ? "," : "");
  printf("%s],\n", indent);
}

static void print_head(bool window) {
  static const char *const intro[] = {
      "A service config for gRPC with Retry Guard. gRPC ignores members that",
      "are named //, so it can be used as it stands; only inside of",
      "retryGuard they are refused. The values there are the defaults:",
      "delete what you do not change.",
      "",
  };
  static const char *const bucket[] = {
      "budget: each call that ends OK earns tokenRatio of a token, each retry",
      "costs one. At most what the OK calls of `burst` earned is kept. So",
      "retries stay a share of what works, and end when nothing does.",
  };
  static const char *const sliding[] = {
      "budget: `window` replaces the default, a tokenBucket. Within",
      "`interval`, retries may be `percent` % of the calls and minRetryRate,",
      "which every client process has for itself: keep it small for a fleet.",
  };
  static const char *const rest[] = {
      "backoff: FULL jitter draws each delay between `floor` and what the",
      "method's retryPolicy says, so that clients do not retry in step.",
      "layer: OUTERMOST lets the first layer with a retryPolicy retry, and",
      "none below it.",
      "circuitBreaker: when more than failureRatio of at least minRequests",
      "attempts failed within `window`, none is made for `cooldown`.",
      "deadline: attemptTimeout, which has no default, ends a stalled attempt",
      "early enough for another: set it to what a slow good call takes.",
      "mode: SHADOW decides and counts everything, but changes nothing.",
  };
  const char *lines[32] = {NULL};
  size_t count = 0;
  for (size_t i = 0; i < sizeof intro / sizeof intro[0]; i++)
    lines[count++] = intro[i];
  for (size_t i = 0; i < 3; i++)
    lines[count++] = window ? sliding[i] : bucket[i];
  for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++)
    lines[count++] = rest[i];
  print_comment(lines, "  ");
}

static void print_bucket(void) {
  printf(
      "    \"budget\": {\n"
      "      \"tokenBucket\": { \"tokenRatio\": %s, \"burst\": \"%s\", "
      "\"initialTokens\": %s }\n"
      "    },\n",
      from_milli(RG_DEFAULT_TOKEN_RATIO_MILLI).text,
      from_ns(RG_DEFAULT_BURST_NS).text,
      from_milli(RG_DEFAULT_INITIAL_TOKENS_MILLI).text);
}

static void print_window(void) {
  printf(
      "    \"budget\": {\n"
      "      \"window\": {\n"
      "        \"percent\": %d,\n"
      "        \"interval\": \"%s\",\n"
      "        \"minRetryRate\": { \"count\": %d, \"interval\": \"%s\" }\n"
      "      }\n"
      "    },\n",
      RG_DEFAULT_WINDOW_PERCENT, from_ns(RG_DEFAULT_WINDOW_INTERVAL_NS).text,
      RG_DEFAULT_MIN_RETRY_COUNT,
      from_ns(RG_DEFAULT_MIN_RETRY_INTERVAL_NS).text);
}

/* The default codes and enum values are words; a test holds them against what
 * they mean. */
static void print_breaker(void) {
  printf(
      "    \"circuitBreaker\": {\n"
      "      \"failureStatusCodes\": [\n"
      "        \"UNAVAILABLE\", \"DEADLINE_EXCEEDED\", "
      "\"RESOURCE_EXHAUSTED\",\n"
      "        \"INTERNAL\", \"UNKNOWN\"\n"
      "      ],\n"
      "      \"failureRatio\": %s,\n"
      "      \"window\": \"%s\",\n"
      "      \"minRequests\": %d,\n"
      "      \"cooldown\": \"%s\",\n"
      "      \"cooldownJitter\": %s,\n"
      "      \"probes\": %d,\n"
      "      \"scope\": \"TARGET\"\n"
      "    },\n",
      from_milli(RG_DEFAULT_FAILURE_RATIO_MILLI).text,
      from_ns(RG_DEFAULT_BREAKER_WINDOW_NS).text, RG_DEFAULT_MIN_REQUESTS,
      from_ns(RG_DEFAULT_COOLDOWN_NS).text,
      from_milli(RG_DEFAULT_COOLDOWN_JITTER_MILLI).text, RG_DEFAULT_PROBES);
}

static void print_guard(bool window) {
  printf("  \"retryGuard\": {\n");
  if (window)
    print_window();
  else
    print_bucket();
  printf("    \"backoff\": { \"jitter\": \"FULL\", \"floor\": \"%s\" },\n",
         duration(rg_duration_from_ms(RG_DEFAULT_FLOOR_MS)).text);
  printf("    \"layer\": { \"mode\": \"OUTERMOST\", \"maxHops\": %d },\n",
         RG_DEFAULT_LAYER_MAX_HOPS);
  print_breaker();
  printf("    \"mode\": \"ENFORCE\"\n  },\n");
}

static void print_method(const char *service) {
  static const char *const lines[] = {
      "What is retried, by gRPC's own retryPolicy, which has no defaults: name",
      "only what is safe to repeat, if need be method by method, as in",
      "{ 'service': 'shop.Ledger', 'method': 'Get' }. The guard bounds the",
      "retries, spreads them, and makes them in one layer.",
      NULL,
  };
  struct rg_retry_settings usual = rg_retry_settings_usual();
  printf("  \"methodConfig\": [\n    {\n");
  print_comment(lines, "      ");
  printf(
      "      \"name\": [ { \"service\": \"%s\" } ],\n"
      "      \"retryPolicy\": {\n"
      "        \"maxAttempts\": %" PRIu32
      ",\n"
      "        \"initialBackoff\": \"%s\",\n"
      "        \"maxBackoff\": \"%s\",\n"
      "        \"backoffMultiplier\": %s,\n"
      "        \"retryableStatusCodes\": [ \"UNAVAILABLE\" ]\n"
      "      }\n    }\n  ]\n",
      service, usual.max_attempts, duration(usual.initial_backoff).text,
      duration(usual.max_backoff).text, number(usual.backoff_multiplier).text);
}

/* ---- The verb ------------------------------------------------------------ */

/* Nothing that JSON would have to escape. */
static bool is_service(const char *name) {
  static const char allowed[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
  return *name != '\0' && name[strspn(name, allowed)] == '\0';
}

static int take_option(int option, struct wish *wish) {
  bool style = option == STYLE;
  if (style && strcmp(optarg, "window") == 0) return wish->window = true, 0;
  if (style && strcmp(optarg, "budget") == 0) return wish->window = false, 0;
  if (style)
    return rg_cli_usage_error(
        "init", "init: --style must be budget or window, got '%s'", optarg);
  if (option != SERVICE) return RG_CLI_USAGE; /* what it was has been said */
  wish->service = optarg;
  if (is_service(optarg)) return RG_CLI_OK;
  return rg_cli_usage_error(
      "init", "init: --service must be a name such as shop.Ledger, got '%s'",
      optarg);
}

int rg_cli_init(int argc, char **argv) {
  struct wish wish = {.service = PLACEHOLDER};
  int option;
  while ((option = rg_cli_option(argc, argv, options)) !=
         RG_CLI_NO_MORE_OPTIONS) {
    if (option == 'h') return fputs(help, stdout), RG_CLI_OK;
    int status = take_option(option, &wish);
    if (status != RG_CLI_OK) return status;
  }
  if (optind < argc)
    return rg_cli_usage_error(argv[0], "init: what is '%s'?", argv[optind]);
  printf("{\n");
  print_head(wish.window);
  print_guard(wish.window);
  print_method(wish.service);
  printf("}\n");
  return RG_CLI_OK;
}
