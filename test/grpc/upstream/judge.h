// SPDX-License-Identifier: Apache-2.0

// Whether the guard took part in one of gRPC's own tests as it should have: a
// test that passes says nothing about a guard that was not there.
#ifndef RG_TEST_GRPC_UPSTREAM_JUDGE_H
#define RG_TEST_GRPC_UPSTREAM_JUDGE_H

#include <string>

#include "grpc/upstream/watch.h"

namespace rg_test {

enum class Role {
  kInert,    // no channel has a policy
  kShadow,   // a policy that would refuse every retry, and acts on nothing
  kEnforce,  // a policy that permits every retry
};

// Says on standard output what was seen, and each fault found in it for the
// test called `test`; true when there is none.
bool Judge(const std::string &test, Role role, const Seen &seen);

}  // namespace rg_test

#endif
