// SPDX-License-Identifier: Apache-2.0

// Service configs, and what is wrong with them: good ones, wrong ones and
// nonsense. One table for both sides, the checker's and gRPC's.
#ifndef RG_TEST_CONFIG_SERVICE_CONFIG_TABLE_H
#define RG_TEST_CONFIG_SERVICE_CONFIG_TABLE_H

#include <string>
#include <vector>

namespace rg_test {

struct ServiceConfigCase {
  std::string json;
  // Each "path: kind".
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
};

// A config of these members, with one guarded method.
inline std::string Top(const std::string &members) {
  return R"({"retryGuard": {}, "methodConfig": [{"name": [{"service": "s.S"}],
    "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.1s",
    "maxBackoff": "1s", "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE"]}}])" +
         (members.empty() ? "" : ", " + members) + "}";
}

// A config whose block is `guard`.
inline std::string Guard(const std::string &guard) {
  std::string json = Top("");
  return json.replace(json.find("{}"), 2, guard);
}

// A config with one entry of these members.
inline std::string Entry(const std::string &members) {
  return R"({"retryGuard": {}, "methodConfig": [{)" + members + "}]}";
}

inline std::string Policy(const std::string &policy) {
  return Entry(R"("name": [{"service": "s.S"}], "retryPolicy": )" + policy);
}

// A whole retryPolicy but for `key`, which is `value`, or absent if empty.
inline std::string Retry(const std::string &key, const std::string &value) {
  const std::pair<const char *, const char *> members[] = {
      {"maxAttempts", "3"},
      {"initialBackoff", "\"0.1s\""},
      {"maxBackoff", "\"1s\""},
      {"backoffMultiplier", "2"},
      {"retryableStatusCodes", "[\"UNAVAILABLE\"]"},
  };
  std::string policy;
  bool known = false;
  auto add = [&](const std::string &name, const std::string &text) {
    if (text.empty()) return;
    policy += (policy.empty() ? "\"" : ", \"") + name + "\": " + text;
  };
  for (const auto &[name, text] : members) {
    if (key == name) known = true;
    add(name, key == name ? value : text);
  }
  if (!known) add(key, value);
  return Policy("{" + policy + "}");
}

// A whole entry but for its `name`, of these elements.
inline std::string Names(const std::string &elements) {
  std::string json = Top("");
  const std::string plain = R"([{"service": "s.S"}])";
  return json.replace(json.find(plain), plain.size(), "[" + elements + "]");
}

// A whole entry and these members.
inline std::string Member(const std::string &members) {
  std::string json = Top("");
  return json.replace(json.find("\"retryPolicy\""), 0, members + ", ");
}

inline std::string Throttling(const std::string &members) {
  return R"({"methodConfig": [{"name": [{"service": "s.S"}], "retryPolicy":
    {"maxAttempts": 3, "initialBackoff": "0.1s", "maxBackoff": "1s",
    "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}],
    "retryThrottling": )" +
         members + "}";
}

inline std::string Balancing(const std::string &config) {
  return Top("\"loadBalancingConfig\": " + config);
}

inline const std::vector<ServiceConfigCase> &ServiceConfigCases() {
  const std::string guard = "retryGuard";
  const std::string policy = "methodConfig[0].retryPolicy";
  const std::string name = "methodConfig[0].name";
  static const std::vector<ServiceConfigCase> cases = {
      // Text.
      {"", {": syntax"}, {}},
      {"  \n", {": syntax"}, {}},
      {"{", {": syntax"}, {}},
      {"}", {": syntax"}, {}},
      {"{}}", {": syntax"}, {}},
      {"{} x", {": syntax"}, {}},
      {"{\"a\" 1}", {"a: syntax"}, {}},
      {"{\"a\": 1,}", {": syntax"}, {}},
      {"{\"a\": [1,]}", {"a: syntax"}, {}},
      {"{\"a\": tru}", {"a: syntax"}, {}},
      {"{\"a\": 01}", {"a: syntax"}, {}},
      {"{\"a\": 1.}", {"a: syntax"}, {}},
      {"{\"a\": .5}", {"a: syntax"}, {}},
      {"{\"a\": 0e1}", {": syntax"}, {}},
      {"{\"a\": 1e}", {"a: syntax"}, {}},
      {"{'a': 1}", {": syntax"}, {}},
      {"{\"a\": \"\xff\"}", {"a: syntax"}, {}},
      {"{\"a\": \"\\x\"}", {"a: syntax"}, {}},
      {"{\"a\": \"\\ud800\"}", {"a: syntax"}, {}},
      {std::string(256, '[') + std::string(256, ']'), {": syntax"}, {}},
      {"[]", {": type"}, {}},
      {"7", {": type"}, {}},
      {"null", {": type"}, {}},
      {"{\"//\": 1e400}", {}, {}},
      {"{\"_\": 99999999999999999999}", {}, {}},
      {"{\"//\": \"\xe2\x82\xac \\ud83d\\ude00\"}", {}, {}},
      {"{\"//\": 1, \"//\": 2}", {"[\"//\"]: duplicate"}, {}},
      {"{\"_a\": {\"b\": 1, \"b\": 1}}", {"_a.b: duplicate"}, {}},

      // The whole.
      {"{}", {}, {}},
      {Top(""), {}, {}},
      {Top(R"("retryGaurd": {})"), {}, {"retryGaurd: ignored"}},
      {Top(R"("retry_guard": {})"), {}, {"retry_guard: ignored"}},
      {Top(R"("RetryGuard": {})"), {}, {"RetryGuard: ignored"}},
      {Top(R"("methodConfigs": [])"), {}, {"methodConfigs: ignored"}},
      {Top(R"("retryPolicy": {})"), {}, {"retryPolicy: ignored"}},
      {Top(R"("timeout": "1s")"), {}, {"timeout: ignored"}},
      {R"({"retryGuard": null})", {}, {}},
      {R"({"methodConfig": null})", {"methodConfig: type"}, {}},
      {R"({"methodConfig": {}})", {"methodConfig: type"}, {}},
      {R"({"methodConfig": []})", {}, {}},
      {R"({"methodConfig": [null]})", {"methodConfig[0]: type"}, {}},
      {R"({"methodConfig": [[]]})", {"methodConfig[0]: type"}, {}},
      {R"({"methodConfig": ["x", 7]})",
       {"methodConfig[0]: type", "methodConfig[1]: type"},
       {}},

      // Names.
      {Entry(""), {}, {name + ": futile"}},
      {Names(""), {}, {name + ": futile"}},
      {Entry(R"("name": null)"), {name + ": type"}, {}},
      {Entry(R"("name": {})"), {name + ": type"}, {}},
      {Names("7"), {name + "[0]: type"}, {}},
      {Names("{}"), {}, {}},
      {Names(R"({"service": ""})"), {}, {}},
      {Names(R"({"service": null})"), {}, {}},
      {Names(R"({"service": "s.S", "method": null})"), {}, {}},
      {Names(R"({"service": "s.S", "method": ""})"), {}, {}},
      {Names(R"({"service": "S", "method": "M"})"), {}, {}},
      {Names(R"({"service": 7})"), {name + "[0].service: type"}, {}},
      {Names(R"({"service": "s.S", "method": 7})"),
       {name + "[0].method: type"},
       {}},
      {Names(R"({"method": "M"})"), {name + "[0]: missing"}, {}},
      {Names(R"({"service": null, "method": "M"})"),
       {name + "[0]: missing"},
       {}},
      {Names(R"({"service": "", "method": "M"})"),
       {},
       {name + "[0].method: misread"}},
      {Names(R"({"service": "/s.S"})"), {}, {name + "[0].service: futile"}},
      {Names(R"({"service": "s.S/M"})"), {}, {name + "[0].service: futile"}},
      {Names(R"({"service": "s. S"})"), {}, {name + "[0].service: futile"}},
      {Names(R"({"service": "s.S", "method": "/s.S/M"})"),
       {},
       {name + "[0].method: futile"}},
      {Names(R"({"service": "s.S", "methods": "M"})"),
       {},
       {name + "[0].methods: ignored"}},
      {Names(R"({"Service": "s.S"})"), {}, {name + "[0].Service: ignored"}},
      {Names(R"({"service": "s.S"}, {"service": "s.T", "method": "M"})"),
       {},
       {}},
      {Names(R"({"service": "s.S"}, {"service": "s.S"})"),
       {name + "[1]: duplicate"},
       {}},
      {Names(R"({"service": "s.S"}, {"service": "s.S", "method": ""})"),
       {name + "[1]: duplicate"},
       {}},
      {Names(R"({"service": "s.S", "method": "M"},
                {"service": "s.S", "method": "M"})"),
       {name + "[1]: duplicate"},
       {}},
      {Names("{}, {}"), {name + "[1]: duplicate"}, {}},
      {R"({"methodConfig": [{"name": [{}]}, {"name": [{"service": ""}]}]})",
       {"methodConfig[1].name[0]: duplicate"},
       {}},

      // retryPolicy.
      {Policy("null"), {}, {}},
      {Policy("[]"), {policy + ": type"}, {}},
      {Policy("\"3\""), {policy + ": type"}, {}},
      {Policy("{}"),
       {policy + ".maxAttempts: missing", policy + ".initialBackoff: missing",
        policy + ".maxBackoff: missing", policy + ".backoffMultiplier: missing",
        policy + ".retryableStatusCodes: missing"},
       {}},
      {Retry("maxAttempts", ""), {policy + ".maxAttempts: missing"}, {}},
      {Retry("maxAttempts", "1"), {policy + ".maxAttempts: range"}, {}},
      {Retry("maxAttempts", "0"), {policy + ".maxAttempts: range"}, {}},
      {Retry("maxAttempts", "-3"), {policy + ".maxAttempts: range"}, {}},
      {Retry("maxAttempts", "2"), {}, {}},
      {Retry("maxAttempts", "5"), {}, {}},
      {Retry("maxAttempts", "6"), {}, {policy + ".maxAttempts: futile"}},
      {Retry("maxAttempts", "2147483647"),
       {},
       {policy + ".maxAttempts: futile"}},
      {Retry("maxAttempts", "2147483648"),
       {policy + ".maxAttempts: range"},
       {}},
      {Retry("maxAttempts", "99999999999999999999"),
       {policy + ".maxAttempts: range"},
       {}},
      {Retry("maxAttempts", "3.0"), {policy + ".maxAttempts: value"}, {}},
      {Retry("maxAttempts", "3e0"), {policy + ".maxAttempts: value"}, {}},
      {Retry("maxAttempts", "\"3\""), {}, {}},
      {Retry("maxAttempts", "\" +3 \""), {}, {}},
      {Retry("maxAttempts", "\"three\""), {policy + ".maxAttempts: value"}, {}},
      {Retry("maxAttempts", "\"\""), {policy + ".maxAttempts: value"}, {}},
      {Retry("maxAttempts", "null"), {policy + ".maxAttempts: type"}, {}},
      {Retry("maxAttempts", "true"), {policy + ".maxAttempts: type"}, {}},
      {Retry("initialBackoff", ""), {policy + ".initialBackoff: missing"}, {}},
      {Retry("initialBackoff", "0.1"), {policy + ".initialBackoff: type"}, {}},
      {Retry("initialBackoff", "\"0.1\""),
       {policy + ".initialBackoff: value"},
       {}},
      {Retry("initialBackoff", "\"100ms\""),
       {policy + ".initialBackoff: value"},
       {}},
      {Retry("initialBackoff", "\"s\""),
       {policy + ".initialBackoff: value"},
       {}},
      {Retry("initialBackoff", "\".1s\""),
       {policy + ".initialBackoff: value"},
       {}},
      {Retry("initialBackoff", "\"1.s\""),
       {policy + ".initialBackoff: value"},
       {}},
      {Retry("initialBackoff", "\"0.0000000001s\""),
       {policy + ".initialBackoff: value"},
       {}},
      {Retry("initialBackoff", "\" 0.1 s\""), {}, {}},
      {Retry("initialBackoff", "\"+0.1s\""), {}, {}},
      {Retry("initialBackoff", "\"0s\""),
       {policy + ".initialBackoff: range"},
       {}},
      {Retry("initialBackoff", "\"0.0009s\""),
       {policy + ".initialBackoff: range"},
       {policy + ".initialBackoff: misread"}},
      {Retry("initialBackoff", "\"0.0015s\""),
       {},
       {policy + ".initialBackoff: misread"}},
      {Retry("initialBackoff", "\"-0.05s\""),
       {},
       {policy + ".initialBackoff: misread"}},
      {Retry("initialBackoff", "\"-1s\""),
       {policy + ".initialBackoff: range"},
       {}},
      {Retry("maxBackoff", "\"315576000000s\""), {}, {}},
      {Retry("maxBackoff", "\"315576000001s\""),
       {policy + ".maxBackoff: range"},
       {}},
      {Retry("maxBackoff", "null"), {policy + ".maxBackoff: type"}, {}},
      {Retry("maxBackoff", "\"0s\""), {policy + ".maxBackoff: range"}, {}},
      {Retry("backoffMultiplier", ""),
       {policy + ".backoffMultiplier: missing"},
       {}},
      {Retry("backoffMultiplier", "0"),
       {policy + ".backoffMultiplier: range"},
       {}},
      {Retry("backoffMultiplier", "-1.5"),
       {policy + ".backoffMultiplier: range"},
       {}},
      {Retry("backoffMultiplier", "\"1.5\""), {}, {}},
      {Retry("backoffMultiplier", "1e0"), {}, {}},
      {Retry("backoffMultiplier", "1e40"), {}, {}},
      {Retry("backoffMultiplier", "\"0x2\""), {}, {}},
      {Retry("backoffMultiplier", "\"2x\""),
       {policy + ".backoffMultiplier: value"},
       {}},
      {Retry("backoffMultiplier", "\"1,5\""),
       {policy + ".backoffMultiplier: value"},
       {}},
      {Retry("backoffMultiplier", "[]"),
       {policy + ".backoffMultiplier: type"},
       {}},
      {Retry("retryableStatusCodes", ""),
       {policy + ".retryableStatusCodes: missing"},
       {}},
      {Retry("retryableStatusCodes", "[]"),
       {policy + ".retryableStatusCodes: missing"},
       {}},
      {Retry("retryableStatusCodes", "null"),
       {policy + ".retryableStatusCodes: type"},
       {}},
      {Retry("retryableStatusCodes", "\"UNAVAILABLE\""),
       {policy + ".retryableStatusCodes: type"},
       {}},
      {Retry("retryableStatusCodes", "[\"unavailable\"]"),
       {policy + ".retryableStatusCodes[0]: value"},
       {}},
      {Retry("retryableStatusCodes", "[\"UNAVAILABLE\", 14]"),
       {policy + ".retryableStatusCodes[1]: type"},
       {}},
      {Retry("retryableStatusCodes", "[\"UNAVAILABLE\", \"GONE\", \"\"]"),
       {policy + ".retryableStatusCodes[1]: value",
        policy + ".retryableStatusCodes[2]: value"},
       {}},
      {Retry("max_attempts", "3"), {}, {policy + ".max_attempts: ignored"}},
      {Retry("retryableStatusCode", "[]"),
       {},
       {policy + ".retryableStatusCode: ignored"}},
      {Retry("jitter", "0.2"), {}, {policy + ".jitter: ignored"}},
      {Retry("retryGuard", "{}"), {}, {policy + ".retryGuard: ignored"}},
      {Retry("perAttemptRecvTimeout", "\"1s\""),
       {},
       {policy + ".perAttemptRecvTimeout: ignored"}},
      {Retry("//", "\"why\""), {}, {}},

      // The rest of an entry.
      {Member(R"("timeout": "5s")"), {}, {}},
      {Member(R"("timeout": null)"), {"methodConfig[0].timeout: type"}, {}},
      {Member(R"("timeout": 5)"), {"methodConfig[0].timeout: type"}, {}},
      {Member(R"("timeout": "-5s")"), {"methodConfig[0].timeout: range"}, {}},
      {Member(R"("timeout": "0s")"), {}, {"methodConfig[0].timeout: misread"}},
      {Member(R"("waitForReady": true)"), {}, {}},
      {Member(R"("waitForReady": null)"), {}, {}},
      {Member(R"("waitForReady": "true")"),
       {"methodConfig[0].waitForReady: type"},
       {}},
      {Member(R"("maxRequestMessageBytes": "1024")"), {}, {}},
      {Member(R"("maxRequestMessageBytes": -1)"),
       {"methodConfig[0].maxRequestMessageBytes: range"},
       {}},
      {Member(R"("maxResponseMessageBytes": 4294967296)"),
       {"methodConfig[0].maxResponseMessageBytes: range"},
       {}},
      {Member(R"("maxResponseMessageBytes": null)"), {}, {}},
      {Member(R"("hedgingPolicy": {})"),
       {},
       {"methodConfig[0].hedgingPolicy: ignored"}},
      {Member(R"("wait_for_ready": true)"),
       {},
       {"methodConfig[0].wait_for_ready: ignored"}},
      {Member(R"("retryThrottling": {})"),
       {},
       {"methodConfig[0].retryThrottling: ignored"}},
      {Member(R"("maxAttempts": 3)"),
       {},
       {"methodConfig[0].maxAttempts: ignored"}},

      // retryThrottling.
      {Throttling("null"), {}, {}},
      {Throttling("7"), {"retryThrottling: type"}, {}},
      {Throttling("{}"),
       {"retryThrottling.maxTokens: missing",
        "retryThrottling.tokenRatio: missing"},
       {}},
      {Throttling(R"({"maxTokens": 10, "tokenRatio": 0.1})"), {}, {}},
      {Throttling(R"({"maxTokens": 0, "tokenRatio": 0.1})"),
       {"retryThrottling.maxTokens: range"},
       {}},
      {Throttling(R"({"maxTokens": 10.5, "tokenRatio": 0.1})"),
       {"retryThrottling.maxTokens: value"},
       {}},
      {Throttling(R"({"maxTokens": "10", "tokenRatio": "0.1"})"), {}, {}},
      {Throttling(R"({"maxTokens": 10, "tokenRatio": 1})"),
       {},
       {"retryThrottling.tokenRatio: misread"}},
      {Throttling(R"({"maxTokens": 10, "tokenRatio": 1.0})"), {}, {}},
      {Throttling(R"({"maxTokens": 10, "tokenRatio": 0.12345})"),
       {},
       {"retryThrottling.tokenRatio: misread"}},
      {Throttling(R"({"maxTokens": 10, "tokenRatio": 0.12300})"), {}, {}},
      {Throttling(R"({"maxTokens": 10, "tokenRatio": 0.0001})"),
       {"retryThrottling.tokenRatio: range"},
       {}},
      {Throttling(R"({"maxTokens": 10, "tokenRatio": 0})"),
       {"retryThrottling.tokenRatio: range"},
       {}},
      {Throttling(R"({"maxTokens": 10, "tokenRatio": -0.1})"),
       {"retryThrottling.tokenRatio: value"},
       {}},
      {Throttling(R"({"maxTokens": "-0", "tokenRatio": " +0.1 "})"),
       {"retryThrottling.maxTokens: range"},
       {}},
      {Throttling(R"({"maxTokens": 10, "tokenRatio": 1e-1})"),
       {"retryThrottling.tokenRatio: value"},
       {}},
      {Throttling(R"({"maxTokens": 10, "tokenRatio": true})"),
       {"retryThrottling.tokenRatio: type"},
       {}},
      {Throttling(R"({"maxTokens": 10, "tokenRatio": 0.1, "max_tokens": 1})"),
       {},
       {"retryThrottling.max_tokens: ignored"}},

      // Load balancing and health.
      {Top(R"("loadBalancingPolicy": "round_robin")"), {}, {}},
      {Top(R"("loadBalancingPolicy": "ROUND_ROBIN")"), {}, {}},
      {Top(R"("loadBalancingPolicy": "")"), {}, {}},
      {Top(R"("loadBalancingPolicy": "random")"),
       {"loadBalancingPolicy: value"},
       {}},
      {Top(R"("loadBalancingPolicy": "ring_hash_experimental")"),
       {"loadBalancingPolicy: place"},
       {}},
      {Top(R"("loadBalancingPolicy": "grpclb")"),
       {"loadBalancingPolicy: place"},
       {}},
      {Top(R"("loadBalancingPolicy": "priority_experimental")"),
       {"loadBalancingPolicy: place"},
       {}},
      {Top(R"("loadBalancingPolicy": "rls_experimental")"),
       {"loadBalancingPolicy: place"},
       {}},
      {Top(R"("loadBalancingPolicy": null)"),
       {"loadBalancingPolicy: type"},
       {}},
      {Balancing(R"([{"round_robin": {}}])"), {}, {}},
      {Balancing(R"([{"mine": {}}, {"pick_first": {}}])"), {}, {}},
      {Balancing("[]"), {"loadBalancingConfig: value"}, {}},
      {Balancing(R"([{"mine": {}}])"), {"loadBalancingConfig: value"}, {}},
      {Balancing(R"([{"Round_Robin": {}}])"),
       {"loadBalancingConfig: value"},
       {}},
      {Balancing(R"({"round_robin": {}})"), {"loadBalancingConfig: type"}, {}},
      {Balancing("null"), {"loadBalancingConfig: type"}, {}},
      {Balancing(R"([7])"), {"loadBalancingConfig[0]: type"}, {}},
      {Balancing(R"([{}])"), {"loadBalancingConfig[0]: value"}, {}},
      {Balancing(R"([{"pick_first": {}, "round_robin": {}}])"),
       {"loadBalancingConfig[0]: value"},
       {}},
      {Balancing(R"([{"round_robin": null}])"),
       {"loadBalancingConfig[0].round_robin: type"},
       {}},
      {Top(R"("healthCheckConfig": {})"), {}, {}},
      {Top(R"("healthCheckConfig": {"serviceName": null})"), {}, {}},
      {Top(R"("healthCheckConfig": {"serviceName": 7})"),
       {"healthCheckConfig.serviceName: type"},
       {}},
      {Top(R"("healthCheckConfig": null)"), {"healthCheckConfig: type"}, {}},

      // retryGuard.
      {Guard("[]"), {guard + ": type"}, {}},
      {Guard("7"), {guard + ": type"}, {}},
      {Guard(R"({"budget": {"tokenBucket": {"tokenRatio": 1.5}}})"),
       {guard + ".budget.tokenBucket.tokenRatio: range"},
       {}},
      {Guard(R"({"budget": {"tokenBucket": {"tokenRatio": "0.1"}}})"),
       {guard + ".budget.tokenBucket.tokenRatio: type"},
       {}},
      {Guard(R"({"budget": {"tokenBucket": {"tokenRatio": 1e400}}})"),
       {guard + ".budget.tokenBucket.tokenRatio: range"},
       {}},
      {Guard(R"({"budget": {"tokenBucket": {}, "window": {}}})"),
       {guard + ".budget.window: duplicate"},
       {}},
      {Guard(R"({"bugdet": {}})"), {guard + ".bugdet: unknown"}, {}},
      {Guard(R"({"//": "why"})"), {guard + "[\"//\"]: unknown"}, {}},
      {Guard(R"({"mode": "SHADOWS"})"), {guard + ".mode: value"}, {}},
      {Guard(R"({"mode": 1})"), {}, {}},
      {Guard(R"({"budget": null})"), {}, {}},
      {Guard(R"({"circuit_breaker": {"min_requests": 5}})"), {}, {}},
      {Guard(R"({"circuitBreaker": {}, "circuit_breaker": {}})"),
       {guard + ".circuitBreaker: duplicate"},
       {}},
      {Guard(R"({"circuitBreaker": {"failureStatusCodes": ["OK"]}})"),
       {guard + ".circuitBreaker.failureStatusCodes[0]: value"},
       {}},
      {Guard(R"({"deadline": {"hopMargin": "61s"}})"),
       {guard + ".deadline.hopMargin: range"},
       {}},
      {Guard(R"({"layer": {"name": 7, "maxHops": 0}, "mode": []})"),
       {guard + ".layer.name: type", guard + ".mode: type",
        guard + ".layer.maxHops: range"},
       {}},
      {Member(R"("retryGuard": {"mode": "SHADOW"})"), {}, {}},
      {Member(R"("retryGuard": {"circuitBreaker": {}})"),
       {"methodConfig[0].retryGuard.circuitBreaker: place"},
       {}},
      {Member(R"("retryGuard": {"backoff": {"jitter": "SOME"}})"),
       {"methodConfig[0].retryGuard.backoff.jitter: value"},
       {}},
  };
  return cases;
}

}  // namespace rg_test

#endif
