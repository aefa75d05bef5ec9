// SPDX-License-Identifier: Apache-2.0

// Reads the message of sample.proto, for the tests of the JSON reader.
#ifndef RG_TEST_CONFIG_SAMPLE_MESSAGE_H
#define RG_TEST_CONFIG_SAMPLE_MESSAGE_H

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "config/found_faults.h"
#include "config/message_json.h"
#include "sample.pb-c.h"

using Sample = RetryGuard__Test__Sample;

struct Free {
  void operator()(Sample *sample) const {
    retry_guard__test__sample__free_unpacked(sample, nullptr);
  }
};
using SamplePtr = std::unique_ptr<Sample, Free>;

inline SamplePtr Read(const std::string &json, Faults *faults) {
  ProtobufCMessage *message =
      rg_message_from_json(&retry_guard__test__sample__descriptor, json.data(),
                           json.size(), "root", nullptr, faults->get());
  return SamplePtr(reinterpret_cast<Sample *>(message));
}

// Reads what has no fault.
inline SamplePtr ReadGood(const std::string &json) {
  Faults faults;
  SamplePtr sample = Read(json, &faults);
  EXPECT_EQ(faults.lines(), Lines{}) << json;
  EXPECT_NE(sample, nullptr) << json;
  return sample ? std::move(sample) : ReadGood("{}");
}

inline Lines FaultsIn(const std::string &json) {
  Faults faults;
  Read(json, &faults);
  return faults.lines();
}

// The faults of a member's value, without the root.
inline Lines FaultsOf(const std::string &name, const std::string &value) {
  return FaultsIn("{\"" + name + "\": " + value + "}");
}

#endif
