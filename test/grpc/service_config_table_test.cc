// SPDX-License-Identifier: Apache-2.0

// What the checker calls an error is what the channel refuses, and nothing
// else: the table of the config room, through gRPC's own parser.
#include "config/service_config_table.h"

#include <gtest/gtest.h>

#include <string>

#include "grpc/compat.h"
#include "grpc/guarded.h"
#include "src/core/lib/iomgr/exec_ctx.h"
#include "src/core/lib/service_config/service_config_impl.h"

namespace rg_test {
namespace {

// What gRPC has against `json`; empty: nothing.
std::string GrpcsErrors(const std::string &json) {
  grpc_core::ExecCtx exec_ctx;
  auto config = grpc_core::ServiceConfigImpl::Create(grpc_core::ChannelArgs(),
                                                     json.c_str());
  return config.ok() ? "" : std::string(config.status().message());
}

// The path of "path: kind"; of what gRPC names only as a whole, that.
std::string FieldOf(const std::string &error) {
  std::string path = error.substr(0, error.rfind(": "));
  const std::string whole = "loadBalancingConfig";
  return path.compare(0, whole.size(), whole) == 0 ? whole : path;
}

// Faults of the text have no field in gRPC, nor has what nothing is right of.
bool HasField(const std::string &error) {
  return FieldOf(error) != "" && error.find(": syntax") == std::string::npos &&
         error.find("_a.b: ") == std::string::npos &&
         error.find("[\"//\"]: dup") == std::string::npos;
}

class ServiceConfigTable : public Guarded {};

TEST_F(ServiceConfigTable, IsWhatGrpcRefusesToo) {
  for (const ServiceConfigCase &c : ServiceConfigCases()) {
    const std::string errors = GrpcsErrors(c.json);
    EXPECT_EQ(errors.empty(), c.errors.empty()) << c.json << "\n" << errors;
    for (const std::string &error : c.errors) {
      if (!HasField(error)) continue;
      EXPECT_NE(errors.find("field:" + FieldOf(error) + " "), std::string::npos)
          << error << "\n"
          << c.json << "\n"
          << errors;
    }
  }
}

}  // namespace
}  // namespace rg_test
