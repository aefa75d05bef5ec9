/* SPDX-License-Identifier: Apache-2.0 */

/* Which gRPC the plugin is for. The command is built without gRPC, so it
 * cannot ask; a test holds this against plugin/grpc. */
#ifndef RG_CLI_VERSION_H
#define RG_CLI_VERSION_H

#ifdef RETRY_GUARD_GRPC_VERSION
#define RG_CLI_GRPC_VERSION RETRY_GUARD_GRPC_VERSION
#else
#define RG_CLI_GRPC_VERSION "1.51.1"
#endif

#endif
