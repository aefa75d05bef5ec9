// SPDX-License-Identifier: Apache-2.0

// Who has to go when there are too many connections.
#include <gtest/gtest.h>

#include "metrics/guests.h"

namespace {

TEST(Guests, MayAllStayWhileThereAreFew) {
  rg_guests guests = {};
  for (int i = 0; i < RG_GUESTS_MAX; i++)
    EXPECT_EQ(rg_guests_enter(&guests, i), RG_GUESTS_NOBODY);
}

TEST(Guests, GoInTheOrderInWhichTheyCame) {
  rg_guests guests = {};
  for (int i = 0; i < RG_GUESTS_MAX; i++) rg_guests_enter(&guests, i);
  EXPECT_EQ(rg_guests_enter(&guests, 100), 0);
  EXPECT_EQ(rg_guests_enter(&guests, 101), 1);
}

TEST(Guests, MakeRoomWhenTheyLeave) {
  rg_guests guests = {};
  for (int i = 0; i < RG_GUESTS_MAX; i++) rg_guests_enter(&guests, i);
  rg_guests_leave(&guests, 0);
  rg_guests_leave(&guests, 7);
  rg_guests_leave(&guests, 7);
  EXPECT_EQ(rg_guests_enter(&guests, 100), RG_GUESTS_NOBODY);
  EXPECT_EQ(rg_guests_enter(&guests, 101), RG_GUESTS_NOBODY);
  EXPECT_EQ(rg_guests_enter(&guests, 102), 1);
}

}  // namespace
