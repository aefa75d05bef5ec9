/* SPDX-License-Identifier: Apache-2.0 */

/* A part of rg_plain_version: its gRPC says that it is another one. */
#include <grpc/grpc.h>

__attribute__((visibility("default"))) const char *grpc_version_string(void) {
  return "29.1.0";
}
