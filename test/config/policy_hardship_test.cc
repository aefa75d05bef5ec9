// SPDX-License-Identifier: Apache-2.0

// Blocks that are no blocks, and memory that is not there.
#include <gtest/gtest.h>
#include <jansson.h>

#include <cstdlib>
#include <random>
#include <string>

#include "config/every_field.h"
#include "config/found_faults.h"

// Bytes of a good block are lost, doubled and changed: whatever comes out is a
// block or a fault, and the sanitizers have nothing to say.
TEST(PolicyParse, SurvivesNonsense) {
  std::mt19937 random(1);  // the same on every run
  const std::string alphabet = "{}[]\",:\\.-0123456789seEu truefalsn\x7f\xff";
  for (int round = 0; round < 20000; round++) {
    std::string json = kEveryField;
    for (unsigned edits = 1 + random() % 4; edits > 0; edits--) {
      size_t at = random() % json.size();
      switch (random() % 4) {
        case 0:
          json.erase(at, 1 + random() % 20);
          break;
        case 1:
          json[at] = alphabet[random() % alphabet.size()];
          break;
        case 2:
          json.insert(at, 1, alphabet[random() % alphabet.size()]);
          break;
        default:
          json.insert(at, json.substr(random() % json.size(), 30));
      }
      if (json.empty()) json = "{";
    }
    Block block(json);
    EXPECT_EQ(block.get() == nullptr, block.has_faults()) << json;
  }
}

namespace {

// How many more allocations jansson gets.
int allocations_left;

void *ScarceMalloc(size_t size) {
  return allocations_left-- > 0 ? std::malloc(size) : nullptr;
}

}  // namespace

// jansson takes some of its own failures for syntax errors; that there is a
// fault is what counts.
TEST(PolicyParse, FailsWithAFaultWhenJanssonHasNoMemory) {
  bool parsed = false;
  for (int n = 0; !parsed; n++) {
    ASSERT_LT(n, 1000);
    allocations_left = n;
    json_set_alloc_funcs(ScarceMalloc, std::free);
    Block block(kEveryField);
    json_set_alloc_funcs(std::malloc, std::free);
    parsed = block.get() != nullptr;
    EXPECT_EQ(parsed, !block.has_faults()) << n;
  }
}
