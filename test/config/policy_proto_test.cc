// SPDX-License-Identifier: Apache-2.0

// Holds what policy.proto says in its comments against what the code does. The
// comments are the only source of this test: a field that is added is tested.
#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <vector>

#include "config/found_faults.h"
#include "config/policy_comments.h"
#include "config/policy_facts.h"
#include "retry_guard/v1/policy.pb-c.h"

namespace {

// {"a": {"b": <value>}} for "a.b".
std::string Nest(const std::string &path, const std::string &value) {
  if (path.empty()) return value;
  size_t dot = path.find('.');
  std::string rest = dot == std::string::npos ? "" : path.substr(dot + 1);
  return "{\"" + path.substr(0, dot) + "\": " + Nest(rest, value) + "}";
}

// A block that holds nothing but `field` with `value`.
std::string With(const std::string &path, const Field &field,
                 const std::string &value) {
  return Nest(path, "{\"" + JsonName(field.name) + "\": " + value + "}");
}

std::string FullPath(const std::string &path, const Field &field) {
  return "retryGuard." + path + (path.empty() ? "" : ".") +
         JsonName(field.name);
}

bool IsMessage(const Field &f) {
  for (const Field &other : Fields())
    if (other.message == f.type) return true;
  return false;
}

// What is neither of the schema's messages nor one of protobuf's own types.
bool IsEnum(const Field &f) {
  return isupper(static_cast<unsigned char>(f.type[0])) != 0 &&
         f.type != "Duration" && !IsMessage(f);
}

std::string Quoted(const std::string &text) { return "\"" + text + "\""; }

// A value as the comments write it, in JSON.
std::string Json(const Field &f, const std::string &value) {
  if (!f.repeated)
    return f.type == "Duration" || IsEnum(f) ? Quoted(value) : value;
  std::string list;
  for (const std::string &one : Split(value, ", "))
    list += (list.empty() ? "" : ", ") + Quoted(one);
  return "[" + list + "]";
}

std::string Resolved(const std::string &json) {
  Block block(json);
  EXPECT_EQ(block.faults(), Lines{}) << json;
  rg_policy policy;
  rg_policy_resolve(block.get(), nullptr, &policy);
  return PolicyFacts(policy);
}

// A nanosecond less than "0s", "0.1s" or "0.001s".
std::string NanosecondBelow(std::string seconds) {
  if (seconds == "0s") return "-0.000000001s";
  seconds = Between(seconds, "0.", "s");
  seconds.resize(9, '0');
  const std::string digits = std::to_string(std::stol(seconds) - 1);
  return "0." + std::string(9 - digits.size(), '0') + digits + "s";
}

// The numbers of "[0.1s, 3600s]", as written, and those just outside.
struct Interval {
  std::string range, low, high, below, above;
  bool takes_low;
};

Interval ReadInterval(const Field &f) {
  std::vector<std::string> ends = Split(f.range, ", ");
  if (ends.size() != 2 || ends[1].back() != ']') return {};
  Interval i = {f.range, ends[0].substr(1), ends[1], "-1",
                "",      f.range[0] == '['};
  i.high.pop_back();
  if (f.type == "Duration") {
    i.below = NanosecondBelow(i.low);
    i.above = i.high.substr(0, i.high.size() - 1) + ".000000001s";
  } else {
    i.above = std::to_string(std::stoll(i.high) + 1);
    if (i.low != "0") i.below = std::to_string(std::stoll(i.low) - 1);
  }
  return i;
}

void ExpectOutside(const std::string &path, const Field &f,
                   const Interval &interval, const std::string &value) {
  EXPECT_EQ(Block(With(path, f, Json(f, value))).faults(),
            Lines{FullPath(path, f) + ": must be in " + interval.range +
                  ", got " + value});
}

void ExpectInside(const std::string &path, const Field &f,
                  const std::string &value) {
  const std::string json = With(path, f, Json(f, value));
  EXPECT_EQ(Block(json).faults(), Lines{}) << json;
}

void CheckInterval(const std::string &path, const Field &f) {
  Interval interval = ReadInterval(f);
  ASSERT_FALSE(interval.range.empty()) << f.range;
  if (interval.takes_low)
    ExpectInside(path, f, interval.low);
  else
    ExpectOutside(path, f, interval, interval.low);
  ExpectInside(path, f, interval.high);
  ExpectOutside(path, f, interval, interval.below);
  ExpectOutside(path, f, interval, interval.above);
}

void CheckNames(const std::string &path, const Field &f) {
  std::string names;
  std::vector<std::string> all = Split(f.range, ", ");
  for (size_t i = 0; i < all.size(); i++) {
    ExpectInside(path, f, all[i]);
    names += (i == 0 ? "" : i + 1 < all.size() ? ", " : " or ") + all[i];
  }
  EXPECT_EQ(Block(With(path, f, "\"NONE\"")).faults(),
            Lines{FullPath(path, f) + ": must be " + names + ", got \"NONE\""});
}

void CheckLength(const std::string &path, const Field &f) {
  const std::string digits = Between(f.range, "at most ", " bytes");
  ASSERT_NE(digits, "") << f.range;
  const size_t most = std::stoul(digits);
  ExpectInside(path, f, Quoted(std::string(most, 'x')));
  EXPECT_EQ(Block(With(path, f, Quoted(std::string(most + 1, 'x')))).faults(),
            Lines{FullPath(path, f) + ": must be " + f.range + ", got " +
                  std::to_string(most + 1)});
}

void CheckRange(const std::string &path, const Field &f) {
  if (IsMessage(f))
    EXPECT_EQ(f.range, "any");
  else if (f.type == "bool")
    EXPECT_EQ(f.range, "true, false");
  else if (f.repeated)
    EXPECT_EQ(f.range, "codes");  // policy_codes_test.cc has them all
  else if (IsEnum(f))
    CheckNames(path, f);
  else if (f.type == "string")
    CheckLength(path, f);
  else
    CheckInterval(path, f);
}

// Any value that is in range.
std::string GoodValue(const Field &f) {
  if (IsMessage(f)) return "{}";
  if (f.type == "bool") return "true";
  if (f.fallback != "none") return Json(f, f.fallback);
  return Json(f, ReadInterval(f).high);
}

}  // namespace

TEST(PolicyProto, IsReadWhole) {
  size_t fields = 0;
  for (const ProtobufCMessageDescriptor *descriptor :
       {&retry_guard__v1__policy__descriptor,
        &retry_guard__v1__budget__descriptor,
        &retry_guard__v1__token_bucket__descriptor,
        &retry_guard__v1__window__descriptor,
        &retry_guard__v1__retry_rate__descriptor,
        &retry_guard__v1__backoff__descriptor,
        &retry_guard__v1__layer__descriptor,
        &retry_guard__v1__circuit_breaker__descriptor,
        &retry_guard__v1__deadline__descriptor})
    fields += descriptor->n_fields;
  EXPECT_EQ(Fields().size(), fields) << ProtoPath();
}

TEST(PolicyProto, StatesUnitDefaultRangeScopeAndUpdateOfEveryField) {
  for (const Field &f : Fields())
    EXPECT_NE(f.update, "") << f.message << "." << f.name << ": " << f.comment;
}

TEST(PolicyProto, StatesTheDefaultsOfTheCode) {
  for (const Field &f : Fields())
    for (const std::string &path : PathsTo(f.message)) {
      SCOPED_TRACE(FullPath(path, f));
      if (f.fallback == "none") continue;
      EXPECT_EQ(Resolved(With(path, f, Json(f, f.fallback))),
                Resolved(Nest(path, "{}")));
    }
}

TEST(PolicyProto, StatesTheRangesOfTheCode) {
  for (const Field &f : Fields())
    for (const std::string &path : PathsTo(f.message)) {
      SCOPED_TRACE(FullPath(path, f));
      CheckRange(path, f);
    }
}

TEST(PolicyProto, StatesTheUnitOfEveryDuration) {
  for (const Field &f : Fields())
    EXPECT_EQ(f.type == "Duration", f.unit == "s") << f.name;
}

TEST(PolicyProto, StatesWhereAFieldMayStand) {
  for (const Field &f : Fields())
    for (const std::string &path : PathsTo(f.message)) {
      SCOPED_TRACE(FullPath(path, f));
      Block block(With(path, f, GoodValue(f)), RG_POLICY_METHOD);
      EXPECT_TRUE(f.scope == "method" || f.scope == "channel") << f.scope;
      EXPECT_EQ(block.get() != nullptr, f.scope == "method");
      for (const std::string &fault : block.faults())
        EXPECT_NE(fault.find("at the top level of the service config"),
                  std::string::npos)
            << fault;
    }
}
