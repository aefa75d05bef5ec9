/* SPDX-License-Identifier: Apache-2.0 */
#include "config/native_channel.h"

#include <string.h>

#include "config/native_keys.h"

/* The policies that gRPC has, and whether one can go without a config. */
static const struct balancer {
  const char *name;
  bool alone;
} balancers[] = {
    {"pick_first", true},
    {"round_robin", true},
    {"grpclb", false},
    {"ring_hash_experimental", false},
    {"outlier_detection_experimental", false},
    {"priority_experimental", false},
    {"rls_experimental", false},
    {"weighted_target_experimental", false},
    {"cds_experimental", false},
    {"xds_cluster_impl_experimental", false},
    {"xds_cluster_manager_experimental", false},
    {"xds_cluster_resolver_experimental", false},
    {"xds_wrr_locality_experimental", false},
};

/* `text` is in lower case, or is folded to it. */
static const struct balancer *find(const char *text, bool fold) {
  for (size_t i = 0; i < sizeof balancers / sizeof balancers[0]; i++) {
    const char *a = balancers[i].name;
    const char *b = text;
    while (*a != '\0' &&
           (*a == *b || (fold && *b >= 'A' && *b <= 'Z' && *a == *b + 32))) {
      a++;
      b++;
    }
    if (*a == '\0' && *b == '\0') return &balancers[i];
  }
  return NULL;
}

static void check_policy_name(const struct rg_native *value) {
  const char *name;
  char got[RG_TEXT_QUOTED_SIZE];
  if (rg_native_is_absent(value) || !rg_native_string(value, &name) ||
      name[0] == '\0')
    return;
  const struct balancer *balancer = find(name, true);
  rg_native_show(value, got);
  if (balancer == NULL)
    rg_native_error(value, RG_FAULT_VALUE,
                    "must be the name of a load balancing policy, such as "
                    "\"round_robin\", got %s",
                    got);
  else if (!balancer->alone)
    rg_native_error(value, RG_FAULT_PLACE,
                    "is %s, which needs a config: use loadBalancingConfig",
                    got);
}

/* An element {"name": {...}}; false with an error when it is not. */
static bool read_balancer(const struct rg_native *element,
                          const struct balancer **balancer) {
  if (!rg_native_object(element)) return false;
  if (json_object_size(element->json) != 1) {
    rg_native_error(element, RG_FAULT_VALUE,
                    "must have one member, the policy's name, got %zu",
                    json_object_size(element->json));
    return false;
  }
  const char *name =
      json_object_iter_key(json_object_iter((json_t *)element->json));
  struct rg_native config = rg_native_member(element, name);
  *balancer = find(name, false);
  return rg_native_object(&config);
}

static void check_balancing(const struct rg_native *list) {
  if (rg_native_is_absent(list) || !rg_native_array(list)) return;
  /* gRPC takes the first that it has, and looks no further. */
  for (size_t i = 0; i < json_array_size(list->json); i++) {
    struct rg_native element = rg_native_element(list, i);
    const struct balancer *balancer;
    if (!read_balancer(&element, &balancer) || balancer != NULL) return;
  }
  rg_native_error(list, RG_FAULT_VALUE,
                  "must name a load balancing policy that gRPC has, such as "
                  "{\"round_robin\": {}}");
}

static void check_health(const struct rg_native *health) {
  if (rg_native_is_absent(health) || !rg_native_object(health)) return;
  rg_native_check_keys(health, RG_NATIVE_HEALTH);
  struct rg_native name = rg_native_member(health, "serviceName");
  const char *text;
  if (rg_native_is_given(&name)) rg_native_string(&name, &text);
}

void rg_native_check_channel(const struct rg_native *config) {
  struct rg_native name = rg_native_member(config, "loadBalancingPolicy");
  struct rg_native list = rg_native_member(config, "loadBalancingConfig");
  struct rg_native health = rg_native_member(config, "healthCheckConfig");
  check_policy_name(&name);
  check_balancing(&list);
  check_health(&health);
}

static void check_bytes(const struct rg_native *entry, const char *key) {
  struct rg_native value = rg_native_member(entry, key);
  int64_t bytes;
  if (rg_native_is_given(&value))
    rg_native_integer(&value, 0, UINT32_MAX, &bytes);
}

void rg_native_check_method(const struct rg_native *entry) {
  struct rg_native wait = rg_native_member(entry, "waitForReady");
  bool truth;
  if (rg_native_is_given(&wait)) rg_native_bool(&wait, &truth);
  check_bytes(entry, "maxRequestMessageBytes");
  check_bytes(entry, "maxResponseMessageBytes");
}
