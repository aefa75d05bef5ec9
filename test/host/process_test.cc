// SPDX-License-Identifier: Apache-2.0
#include "host/process.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "host/heap_count.h"
#include "support/race.h"

namespace {

retry_guard_options Defaults() {
  retry_guard_options options;
  memset(&options, 0xff, sizeof options);
  retry_guard_options_init(&options);
  return options;
}

std::string LayerName() {
  const rg_process_settings *settings = rg_process_current();
  return std::string(settings->layer_name, settings->layer_name_length);
}

// Each test leaves the defaults behind.
class Process : public testing::Test {
 protected:
  ~Process() override { EXPECT_EQ(Configure(nullptr), RETRY_GUARD_OK); }

  // Programs do it once, so the text of the configuration before is ours.
  retry_guard_status Configure(const retry_guard_options *options) {
    char *before = rg_process_current()->default_service_config;
    const retry_guard_status status = rg_process_configure(options);
    if (status == RETRY_GUARD_OK) free(before);
    return status;
  }
};

TEST_F(Process, OptionsBeginWithTheDefaults) {
  const retry_guard_options options = Defaults();
  EXPECT_EQ(options.size, sizeof(retry_guard_options));
  EXPECT_EQ(options.default_service_config, nullptr);
  EXPECT_EQ(options.layer_name, nullptr);
  EXPECT_TRUE(options.accept_marks);
}

TEST_F(Process, NullMeansTheDefaults) {
  ASSERT_EQ(Configure(nullptr), RETRY_GUARD_OK);
  EXPECT_TRUE(rg_process_current()->accept_marks);
  EXPECT_EQ(LayerName(), "");
  EXPECT_EQ(rg_process_current()->default_service_config, nullptr);
}

TEST_F(Process, KeepsCopiesOfWhatItWasGiven) {
  std::string config = "{ \"retryGuard\": {} }";
  std::string name = "checkout";
  retry_guard_options options = Defaults();
  options.default_service_config = config.c_str();
  options.layer_name = name.c_str();
  options.accept_marks = false;
  ASSERT_EQ(Configure(&options), RETRY_GUARD_OK);
  config[0] = name[0] = '!';
  EXPECT_STREQ(rg_process_current()->default_service_config,
               "{ \"retryGuard\": {} }");
  EXPECT_EQ(LayerName(), "checkout");
  EXPECT_FALSE(rg_process_current()->accept_marks);
}

TEST_F(Process, AnEmptyLayerNameIsNoName) {
  retry_guard_options options = Defaults();
  options.layer_name = "";
  ASSERT_EQ(Configure(&options), RETRY_GUARD_OK);
  EXPECT_EQ(LayerName(), "");
}

TEST_F(Process, ALayerNameHasAtMost64Bytes) {
  const std::string longest(RG_OWNER_MAX, 'x');
  const std::string too_long(RG_OWNER_MAX + 1, 'x');
  retry_guard_options options = Defaults();
  options.layer_name = longest.c_str();
  ASSERT_EQ(Configure(&options), RETRY_GUARD_OK);
  EXPECT_EQ(LayerName(), longest);
  for (const std::string &name : {too_long, std::string(300, 'x')}) {
    options.layer_name = name.c_str();
    options.accept_marks = false;
    EXPECT_EQ(Configure(&options), RETRY_GUARD_INVALID_ARGUMENT);
    EXPECT_EQ(LayerName(), longest);
    EXPECT_TRUE(rg_process_current()->accept_marks);
  }
}

TEST_F(Process, AnOptionsStructOfUnknownSizeChangesNothing) {
  for (size_t size : {size_t{0}, sizeof(retry_guard_options) - 1,
                      sizeof(retry_guard_options) + 1, SIZE_MAX}) {
    retry_guard_options options = Defaults();
    options.size = size;
    options.accept_marks = false;
    EXPECT_EQ(Configure(&options), RETRY_GUARD_INVALID_ARGUMENT);
    EXPECT_TRUE(rg_process_current()->accept_marks);
  }
}

TEST_F(Process, TheModeIsThatOfThePoliciesUntilOneIsGiven) {
  EXPECT_EQ(Defaults().mode, RETRY_GUARD_MODE_OF_POLICY);
  retry_guard_options options = Defaults();
  options.mode = RETRY_GUARD_MODE_SHADOW;
  ASSERT_EQ(Configure(&options), RETRY_GUARD_OK);
  EXPECT_EQ(rg_process_current()->mode, RETRY_GUARD_MODE_SHADOW);
}

TEST_F(Process, AModeThatThereIsNotChangesNothing) {
  for (int mode : {RETRY_GUARD_MODE_OFF + 1, -1}) {
    retry_guard_options options = Defaults();
    memcpy(&options.mode, &mode, sizeof options.mode);
    options.accept_marks = false;
    EXPECT_EQ(Configure(&options), RETRY_GUARD_INVALID_ARGUMENT);
    EXPECT_TRUE(rg_process_current()->accept_marks);
  }
}

TEST_F(Process, WithoutMemoryNothingChanges) {
  if (!rg_test::EmptyHeap::IsPossible()) GTEST_SKIP();
  retry_guard_options options = Defaults();
  options.default_service_config = "{}";
  options.layer_name = "checkout";
  options.accept_marks = false;
  retry_guard_status status = RETRY_GUARD_OK;
  {
    const rg_test::EmptyHeap heap;
    status = Configure(&options);
  }
  EXPECT_EQ(status, RETRY_GUARD_OUT_OF_MEMORY);
  EXPECT_EQ(rg_process_current()->default_service_config, nullptr);
  EXPECT_EQ(LayerName(), "");
  EXPECT_TRUE(rg_process_current()->accept_marks);
}

retry_guard_process_stats Stats() {
  retry_guard_process_stats stats = {};
  stats.size = sizeof stats;
  EXPECT_EQ(retry_guard_process_stats_get(&stats), RETRY_GUARD_OK);
  return stats;
}

TEST(ProcessStats, ShowEachCounter) {
  const retry_guard_process_stats before = Stats();
  rg_process_counters.marks_accepted += 1;
  rg_process_counters.marks_stripped += 2;
  rg_process_counters.marks_rejected += 3;
  rg_process_counters.foreign_retries += 4;
  rg_process_counters.callers_stopped += 5;
  rg_process_counters.fail_open += 6;
  const retry_guard_process_stats after = Stats();
  EXPECT_EQ(after.marks_accepted - before.marks_accepted, 1u);
  EXPECT_EQ(after.marks_stripped - before.marks_stripped, 2u);
  EXPECT_EQ(after.marks_rejected - before.marks_rejected, 3u);
  EXPECT_EQ(after.foreign_retries - before.foreign_retries, 4u);
  EXPECT_EQ(after.callers_stopped - before.callers_stopped, 5u);
  EXPECT_EQ(after.fail_open - before.fail_open, 6u);
  EXPECT_EQ(after.size, sizeof after);
}

TEST(ProcessStats, RefuseNullAndAStructOfUnknownSize) {
  EXPECT_EQ(retry_guard_process_stats_get(nullptr),
            RETRY_GUARD_INVALID_ARGUMENT);
  for (size_t size : {size_t{0}, sizeof(retry_guard_process_stats) - 1,
                      sizeof(retry_guard_process_stats) + 1, SIZE_MAX}) {
    retry_guard_process_stats stats = {};
    stats.size = size;
    stats.fail_open = 77;
    EXPECT_EQ(retry_guard_process_stats_get(&stats),
              RETRY_GUARD_INVALID_ARGUMENT);
    EXPECT_EQ(stats.fail_open, 77u);
  }
}

TEST(ProcessStats, NoCountIsLostAmongThreads) {
  const uint64_t before = Stats().foreign_retries;
  rg_test::Race(8, [](int) {
    for (int i = 0; i < 1000; i++) {
      rg_process_counters.foreign_retries++;
      Stats();
    }
  });
  EXPECT_EQ(Stats().foreign_retries - before, 8000u);
}

// Puts back what a test does to what incoming calls are read by.
class NoteLayer : public testing::Test {
 protected:
  NoteLayer() { Set(false, RG_DEFAULT_MAX_HOPS); }
  ~NoteLayer() override { Set(false, RG_DEFAULT_MAX_HOPS); }

  static void Set(bool baggage, uint32_t max_hops) {
    rg_process_uses_baggage = baggage;
    rg_process_max_hops = max_hops;
  }
  static void Note(bool baggage, uint32_t max_hops) {
    rg_layer_policy layer = {};
    layer.baggage = baggage;
    layer.max_hops = max_hops;
    rg_process_note_layer(&layer);
  }
};

TEST_F(NoteLayer, TheMostGenerousPolicyCounts) {
  Note(false, 3);
  EXPECT_FALSE(rg_process_uses_baggage);
  EXPECT_EQ(rg_process_max_hops, uint32_t{RG_DEFAULT_MAX_HOPS});
  Note(true, 255);
  Note(false, 17);
  EXPECT_TRUE(rg_process_uses_baggage);
  EXPECT_EQ(rg_process_max_hops, 255u);
}

TEST_F(NoteLayer, AmongThreadsNoneIsForgotten) {
  rg_test::Race(4, [](int thread) {
    for (uint32_t i = 0; i < 1000; i++)
      Note(false, i * 4 + static_cast<uint32_t>(thread));
  });
  EXPECT_EQ(rg_process_max_hops, 3999u);
}

}  // namespace
