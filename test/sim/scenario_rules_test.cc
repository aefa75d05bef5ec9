// SPDX-License-Identifier: Apache-2.0

// Holds what scenario.proto says in its comments against what the code does.
// The comments are the only source of this test: a field that is added is
// tested.
#include "sim/scenario_rules.h"

#include <gtest/gtest.h>
#include <jansson.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "retry_guard/v1/scenario.pb-c.h"
#include "sim/read_scenario.h"
#include "sim/scenario_comments.h"
#include "sim/scenario_facts.h"

namespace rg_test {
namespace {

constexpr char kLeast[] = R"({
  "tiers": [ { "name": "a" } ], "loads": [ { "atOnce": true } ],
  "incidents": [ { "kind": "PAUSE" } ],
  "variants": [ { "name": "v", "loop": {} } ] })";

const std::vector<ScenarioField> &Fields() {
  static const std::vector<ScenarioField> fields = ReadScenarioFields();
  return fields;
}

// Where the only message of this type is in kLeast.
std::string PathOf(const std::string &message) {
  if (message == "Tier") return "tiers[0].";
  if (message == "Load") return "loads[0].";
  if (message == "Incident") return "incidents[0].";
  if (message == "Variant") return "variants[0].";
  if (message == "Loop") return "variants[0].loop.";
  return "";
}

std::string PathTo(const ScenarioField &f) {
  return PathOf(f.message) + JsonName(f.name);
}

json_t *MessageIn(json_t *scenario, const std::string &message) {
  json_t *at = scenario;
  std::string path = PathOf(message);
  for (size_t dot; (dot = path.find('.')) != std::string::npos;) {
    const std::string key = path.substr(0, dot);
    const size_t bracket = key.find('[');
    at = json_object_get(at, key.substr(0, bracket).c_str());
    if (bracket != std::string::npos) at = json_array_get(at, 0);
    path.erase(0, dot + 1);
  }
  return at;
}

// kLeast, with `value`, which is JSON, in the field.
std::string With(const ScenarioField &f, const std::string &value) {
  json_t *scenario = json_loads(kLeast, 0, nullptr);
  json_t *message = MessageIn(scenario, f.message);
  if (f.message == "Load") json_object_del(message, "atOnce");
  json_object_set_new(message, JsonName(f.name).c_str(),
                      json_loads(value.c_str(), JSON_DECODE_ANY, nullptr));
  if (f.message == "Load" && f.name != "calls_per_second" &&
      f.name != "interval")
    json_object_set_new(message, "atOnce", json_true());
  char *text = json_dumps(scenario, 0);
  std::string json = text;
  std::free(text);
  json_decref(scenario);
  return json;
}

bool IsNumber(const ScenarioField &f) {
  return f.type == "uint32" || f.type == "double" || f.type == "Duration";
}

bool IsEnum(const ScenarioField &f) {
  return f.type == "Kind" || f.type == "Distribution" || f.type == "Jitter";
}

// A number or duration as the comments write it, in JSON.
std::string Json(const ScenarioField &f, const std::string &value) {
  return f.type == "Duration" || IsEnum(f) ? "\"" + value + "\"" : value;
}

// A nanosecond, or 1, or for fractions a thousandth more than `value`.
std::string Moved(const ScenarioField &f, const std::string &value, int by) {
  char text[64];
  if (f.type == "Duration") {
    const long long ns =
        static_cast<long long>(std::stod(value) * 1e9 + 0.5) + by;
    const char *sign = ns < 0 ? "-" : "";
    std::snprintf(text, sizeof text, "%s%lld.%09llds", sign,
                  std::llabs(ns) / 1000000000, std::llabs(ns) % 1000000000);
  } else if (f.type == "double") {
    std::snprintf(text, sizeof text, "%.3f", std::stod(value) + by * 0.001);
  } else {
    std::snprintf(text, sizeof text, "%lld", std::stoll(value) + by);
  }
  return text;
}

void ExpectInside(const ScenarioField &f, const std::string &value) {
  EXPECT_EQ(ReadScenario(With(f, Json(f, value))).errors(), Lines{}) << value;
}

// What the first fault begins with, which may be the only one.
std::string FaultOutside(const ScenarioField &f, const std::string &value) {
  const bool is_open = f.range[0] != '[';  // whoever asks for more says more
  if (is_open) return PathOf(f.message).substr(0, f.message.size() + 4);
  const bool is_no_uint32 = f.type == "uint32" && value[0] == '-';
  return PathTo(f) + ": must be in " +
         (is_no_uint32 ? "[0, 4294967295]" : f.range) + ", got ";
}

void ExpectOutside(const ScenarioField &f, const std::string &value) {
  const Lines errors = ReadScenario(With(f, Json(f, value))).errors();
  ASSERT_FALSE(errors.empty()) << value;
  const std::string expected = FaultOutside(f, value);
  EXPECT_EQ(errors[0].substr(0, expected.size()), expected) << value;
  if (f.range[0] == '[') {
    EXPECT_EQ(errors.size(), 1u) << value;
  }
}

void CheckInterval(const ScenarioField &f) {
  const size_t comma = f.range.find(", ");
  ASSERT_NE(comma, std::string::npos) << f.range;
  ASSERT_EQ(f.range.back(), ']') << f.range;
  const std::string low = f.range.substr(1, comma - 1);
  std::string high = f.range.substr(comma + 2);
  high.pop_back();
  if (f.range[0] == '[')
    ExpectInside(f, low);
  else
    ExpectOutside(f, low);
  ExpectInside(f, high);
  ExpectOutside(f, Moved(f, low, -1));
  ExpectOutside(f, Moved(f, high, 1));
}

TEST(ScenarioProto, IsReadWhole) {
  size_t fields = 0;
  for (const ProtobufCMessageDescriptor *descriptor :
       {&retry_guard__v1__scenario__descriptor,
        &retry_guard__v1__tier__descriptor, &retry_guard__v1__load__descriptor,
        &retry_guard__v1__incident__descriptor,
        &retry_guard__v1__variant__descriptor,
        &retry_guard__v1__loop__descriptor})
    fields += descriptor->n_fields;
  EXPECT_EQ(Fields().size(), fields);
}

TEST(ScenarioProto, StatesARangeOrADefaultOfEveryField) {
  for (const ScenarioField &f : Fields())
    if (f.type != "Loop") {
      EXPECT_NE(f.range + f.fallback, "") << f.message << "." << f.name;
    }
}

TEST(ScenarioProto, StatesTheRangeOfEveryNumber) {
  size_t checked = 0;
  for (const ScenarioField &f : Fields()) {
    if (!IsNumber(f)) continue;
    SCOPED_TRACE(PathTo(f));
    CheckInterval(f);
    checked++;
  }
  EXPECT_EQ(checked, 21u);
}

TEST(ScenarioProto, StatesTheDefaultsOfTheCode) {
  const std::string least = ScenarioFacts(*ReadScenario(kLeast).get());
  size_t checked = 0;
  for (const ScenarioField &f : Fields()) {
    SCOPED_TRACE(PathTo(f));
    const bool is_text = f.type == "string" && f.fallback != "\"\"";
    if (f.fallback.empty() || f.is_list || is_text) continue;
    if (f.fallback == "none" || f.fallback == "none, they all wait") continue;
    if (f.fallback == "all") continue;
    ReadScenario scenario(With(f, Json(f, f.fallback)));
    ASSERT_EQ(scenario.errors(), Lines{});
    EXPECT_EQ(ScenarioFacts(*scenario.get()), least);
    checked++;
  }
  EXPECT_EQ(checked, 20u);
}

// Or the comparison of defaults would say nothing.
TEST(ScenarioProto, EveryNumberIsSeenInWhatIsRead) {
  for (const ScenarioField &f : Fields()) {
    if (!IsNumber(f) || f.name == "instances") continue;
    SCOPED_TRACE(PathTo(f));
    const size_t comma = f.range.find(", ");
    const std::string low = f.range.substr(1, comma - 1);
    const std::string high =
        f.range.substr(comma + 2, f.range.size() - comma - 3);
    std::string facts = ScenarioFacts(*ReadScenario(kLeast).get());
    bool seen =
        ScenarioFacts(*ReadScenario(With(f, Json(f, high))).get()) != facts;
    if (f.range[0] == '[')
      seen = seen ||
             ScenarioFacts(*ReadScenario(With(f, Json(f, low))).get()) != facts;
    EXPECT_TRUE(seen);
  }
}

}  // namespace
}  // namespace rg_test
