/* SPDX-License-Identifier: Apache-2.0 */

/* rg_plain: a program that uses gRPC and has never heard of the guard. It says
 * that it is there, makes a channel and ends. It is built with several gRPC
 * libraries. */
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <stdio.h>

int main(void) {
  puts("begins");
  fflush(stdout);
  grpc_init();
  grpc_channel_credentials *credentials = grpc_insecure_credentials_create();
  grpc_channel *channel = grpc_channel_create("127.0.0.1:1", credentials, NULL);
  grpc_channel_destroy(channel);
  grpc_channel_credentials_release(credentials);
  grpc_shutdown();
  puts("ends");
  return 3;
}
