/* SPDX-License-Identifier: Apache-2.0 */
#include "config/native_keys.h"

#include <stddef.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* What each place knows; retryGuard is ours. */
static const struct known {
  enum rg_native_place place;
  const char *key;
} known[] = {
    {RG_NATIVE_TOP, "methodConfig"},
    {RG_NATIVE_TOP, "retryGuard"},
    {RG_NATIVE_TOP, "retryThrottling"},
    {RG_NATIVE_TOP, "loadBalancingConfig"},
    {RG_NATIVE_TOP, "loadBalancingPolicy"},
    {RG_NATIVE_TOP, "healthCheckConfig"},
    {RG_NATIVE_METHOD, "name"},
    {RG_NATIVE_METHOD, "retryPolicy"},
    {RG_NATIVE_METHOD, "retryGuard"},
    {RG_NATIVE_METHOD, "timeout"},
    {RG_NATIVE_METHOD, "waitForReady"},
    {RG_NATIVE_METHOD, "maxRequestMessageBytes"},
    {RG_NATIVE_METHOD, "maxResponseMessageBytes"},
    /* With a channel argument each. */
    {RG_NATIVE_METHOD, "faultInjectionPolicy"},
    {RG_NATIVE_METHOD, "rbacPolicy"},
    {RG_NATIVE_NAME, "service"},
    {RG_NATIVE_NAME, "method"},
    {RG_NATIVE_RETRY_POLICY, "maxAttempts"},
    {RG_NATIVE_RETRY_POLICY, "initialBackoff"},
    {RG_NATIVE_RETRY_POLICY, "maxBackoff"},
    {RG_NATIVE_RETRY_POLICY, "backoffMultiplier"},
    {RG_NATIVE_RETRY_POLICY, "retryableStatusCodes"},
    {RG_NATIVE_THROTTLING, "maxTokens"},
    {RG_NATIVE_THROTTLING, "tokenRatio"},
    {RG_NATIVE_HEALTH, "serviceName"},
};

static const char *const where[] = {
    [RG_NATIVE_TOP] = "at the top level of the service config",
    [RG_NATIVE_METHOD] = "in a methodConfig entry",
    [RG_NATIVE_NAME] = "in an element of \"name\"",
    [RG_NATIVE_RETRY_POLICY] = "in retryPolicy",
    [RG_NATIVE_THROTTLING] = "in retryThrottling",
    [RG_NATIVE_HEALTH] = "in healthCheckConfig",
};

/* What gRPC C-core does not have, though its documents know it: of hedging,
 * only the timeout is there, as an experiment. */
static const struct known absent[] = {
    {RG_NATIVE_METHOD, "hedgingPolicy"},
    {RG_NATIVE_RETRY_POLICY, "perAttemptRecvTimeout"},
};

static bool is_in(const struct known *list, size_t count,
                  enum rg_native_place place, const char *key) {
  for (size_t i = 0; i < count; i++)
    if (list[i].place == place && strcmp(list[i].key, key) == 0) return true;
  return false;
}

/* The next character that counts, in lower case: spelling varies by case, and
 * by what stands between words. */
static char next(const char **text) {
  while (**text == '_' || **text == '-' || **text == ' ') ++*text;
  char c = **text;
  if (c != '\0') ++*text;
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool sounds_like(const char *a, const char *b) {
  for (;;) {
    char x = next(&a);
    char y = next(&b);
    /* A plural is a frequent mistake. */
    if ((x == '\0' && strcmp(b, "") == 0 && y == 's') ||
        (y == '\0' && strcmp(a, "") == 0 && x == 's'))
      return true;
    if (x != y) return false;
    if (x == '\0') return true;
  }
}

/* The known key that was probably meant, here if possible; NULL: none. */
static const struct known *guess(enum rg_native_place place, const char *key) {
  const struct known *found = NULL;
  for (size_t i = 0; i < COUNT(known); i++)
    if (sounds_like(key, known[i].key) &&
        (found == NULL || known[i].place == place))
      found = &known[i];
  return found;
}

static bool is_comment(const char *key) {
  return key[0] == '_' || strncmp(key, "//", 2) == 0;
}

static void warn(const struct rg_native *member, enum rg_native_place place,
                 const char *key) {
  if (is_in(absent, COUNT(absent), place, key)) {
    rg_native_warning(member, RG_FAULT_IGNORED,
                      "is ignored: gRPC C-core does not support it, but for an "
                      "experiment that a channel argument switches on");
    return;
  }
  const struct known *meant = guess(place, key);
  if (meant == NULL)
    rg_native_warning(member, RG_FAULT_IGNORED,
                      "is unknown to gRPC, which ignores it");
  else if (strcmp(meant->key, key) == 0)
    rg_native_warning(member, RG_FAULT_IGNORED,
                      "is ignored here: it belongs %s", where[meant->place]);
  else if (meant->place == place)
    rg_native_warning(member, RG_FAULT_IGNORED,
                      "is unknown to gRPC, which ignores it; write it \"%s\"",
                      meant->key);
  else
    rg_native_warning(member, RG_FAULT_IGNORED,
                      "is unknown to gRPC, which ignores it; write it \"%s\", "
                      "%s",
                      meant->key, where[meant->place]);
}

void rg_native_check_keys(const struct rg_native *object,
                          enum rg_native_place place) {
  for (void *i = json_object_iter((json_t *)object->json); i != NULL;
       i = json_object_iter_next((json_t *)object->json, i)) {
    const char *key = json_object_iter_key(i);
    if (is_in(known, COUNT(known), place, key) || is_comment(key)) continue;
    struct rg_native member = rg_native_member(object, key);
    warn(&member, place, key);
  }
}
