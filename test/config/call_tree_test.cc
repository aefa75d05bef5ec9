// SPDX-License-Identifier: Apache-2.0
#include "config/call_tree.h"

#include <gtest/gtest.h>

#include <vector>

namespace rg_test {
namespace {

rg_tree_layer Plain(uint32_t attempts) {
  return {attempts, false, RG_LAYER_OUTERMOST};
}
rg_tree_layer Outermost(uint32_t attempts) {
  return {attempts, true, RG_LAYER_OUTERMOST};
}
rg_tree_layer Innermost(uint32_t attempts) {
  return {attempts, true, RG_LAYER_INNERMOST};
}

rg_call_tree Of(const std::vector<rg_tree_layer> &layers) {
  return rg_call_tree_of(layers.data(), layers.size());
}

TEST(CallTree, MultipliesWithoutAGuard) {
  rg_call_tree tree = Of({Plain(3), Plain(3), Plain(3)});
  EXPECT_EQ(tree.requests, 27u);
  EXPECT_EQ(tree.native, 27u);
  EXPECT_EQ(tree.owner, 0u);
  EXPECT_EQ(tree.retrying, 3u);
}

TEST(CallTree, HasOneOwnerInEitherMode) {
  rg_call_tree outermost = Of({Outermost(3), Outermost(3), Outermost(3)});
  EXPECT_EQ(outermost.requests, 3u);
  EXPECT_EQ(outermost.native, 27u);
  EXPECT_EQ(outermost.owner, 0u);
  EXPECT_EQ(outermost.retrying, 1u);
  rg_call_tree innermost = Of({Innermost(3), Innermost(3), Innermost(3)});
  EXPECT_EQ(innermost.requests, 3u);
  EXPECT_EQ(innermost.owner, 2u);
  EXPECT_EQ(innermost.retrying, 1u);
}

TEST(CallTree, TakesTheRetriesOfAnUnguardedCallerForMarks) {
  // Three below its first attempt, and one below each of its retries.
  EXPECT_EQ(Of({Plain(3), Outermost(3), Outermost(3)}).requests, 5u);
  EXPECT_EQ(Of({Plain(3), Innermost(3)}).requests, 3u);
}

TEST(CallTree, LosesTheMarkInALayerWithoutTheGuard) {
  // Each of its three requests is unmarked below.
  EXPECT_EQ(Of({Outermost(3), Plain(1), Outermost(3)}).requests, 9u);
  EXPECT_EQ(Of({Outermost(3), Outermost(1), Outermost(3)}).requests, 3u);
}

TEST(CallTree, PassesAPushbackOnlyThroughGuards) {
  EXPECT_EQ(Of({Plain(3), Outermost(1), Innermost(3)}).requests, 3u);
  EXPECT_EQ(Of({Plain(3), Plain(1), Innermost(3)}).requests, 9u);
}

TEST(CallTree, WithoutRetriesHasNoOwner) {
  rg_call_tree tree = Of({Outermost(1), Plain(1)});
  EXPECT_EQ(tree.requests, 1u);
  EXPECT_EQ(tree.owner, 2u);
  EXPECT_EQ(tree.retrying, 0u);
}

TEST(CallTree, IsWorkedOutInNoTimeHoweverDeep) {
  std::vector<rg_tree_layer> layers(RG_CALL_TREE_MAX, Plain(5));
  EXPECT_EQ(Of(layers).requests, 152587890625u);
  layers.assign(RG_CALL_TREE_MAX, Outermost(5));
  EXPECT_EQ(Of(layers).requests, 5u);
}

}  // namespace
}  // namespace rg_test
