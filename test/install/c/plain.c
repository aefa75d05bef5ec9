/* SPDX-License-Identifier: Apache-2.0 */

/* A program that does not register the guard; it only looks whether another
 * did. */
#include <grpc/grpc.h>

#include "guarded_call.h"

int main(void) {
  grpc_init();
  guarded_call();
  grpc_shutdown();
  return 0;
}
