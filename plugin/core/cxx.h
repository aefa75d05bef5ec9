/* SPDX-License-Identifier: Apache-2.0 */

/* Lets C++ include the C headers of the plugin: the gRPC seam and the tests
 * are C++. std::atomic has the size and alignment of _Atomic on every compiler
 * that can build gRPC; plugin/grpc/seam.cc holds a check. */
#ifndef RG_CORE_CXX_H
#define RG_CORE_CXX_H

#ifdef __cplusplus
#include <atomic>
#define RG_ATOMIC(type) std::atomic<type>
#define RG_C_BEGIN extern "C" {
#define RG_C_END }
#else
#include <stdatomic.h>
#define RG_ATOMIC(type) _Atomic(type)
#define RG_C_BEGIN
#define RG_C_END
#endif

#endif
